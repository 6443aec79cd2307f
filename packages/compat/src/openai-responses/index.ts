/**
 * Responses of OpenAI: `POST /v1/responses` for models of any vendor.
 *
 * @module
 */

export type { ErrorReply } from '../openai-chat/map-error.ts';
export { mapError } from './map-error.ts';
export type { OutputItem } from './output-items.ts';
export { type KnownItems, referencedIds } from './parse-items.ts';
export { type ParsedResponsesRequest, parseResponsesRequest } from './parse-request.ts';
export type { RequestEcho, ResponseHead } from './response-object.ts';
export { completeItems, type SerializeOptions, serializeResponse } from './serialize-response.ts';
export { errorEvent, type StreamOptions, writeResponseStream } from './write-stream.ts';
