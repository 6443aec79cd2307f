/**
 * Messages of Anthropic: `POST /v1/messages` and `/v1/messages/count_tokens` for models of any vendor.
 *
 * @module
 */
export { countTokens, type TokenCount } from './count-tokens.ts';
export { type ErrorBody, type ErrorReply, mapError } from './map-error.ts';
export { type MessagesRequest, parseCountTokensRequest, parseMessagesRequest } from './parse-request.ts';
export { readOriginalCount, readOriginalMessages } from './read-original.ts';
export { serializeMessage } from './serialize-response.ts';
export {
  errorEvent,
  type StreamHead,
  type StreamOptions,
  writeMessageStream,
} from './write-stream.ts';
