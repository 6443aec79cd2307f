/**
 * Responses of OpenAI: `POST /v1/responses` for models of any vendor.
 *
 * @module
 */

export type { ErrorReply } from '../openai-chat/map-error.ts';
export { mapError } from './map-error.ts';
export { referencedIds } from './named-items.ts';
export type { OutputItem } from './output-items.ts';
export type { KnownItems } from './parse-items.ts';
export { type ParsedResponsesRequest, parseResponsesRequest } from './parse-request.ts';
export {
  type OriginalResponse,
  readOriginalCompaction,
  readOriginalResponse,
  refuseCompaction,
  type SentResponsesRequest,
} from './read-original.ts';
export type { RequestEcho, ResponseHead } from './response-object.ts';
export { completeItems, type SerializeOptions, serializeResponse } from './serialize-response.ts';
export { errorEvent, type StreamOptions, writeResponseStream } from './write-stream.ts';
