/**
 * Chat completions of OpenAI.
 *
 * @module
 */
export { type ErrorReply, mapError } from './map-error.ts';
export { type ParsedChatRequest, parseChatRequest } from './parse-request.ts';
export { type Original, readOriginalChat, type SentRequest } from './read-original.ts';
export { type SerializeOptions, serializeChatAnswer } from './serialize-response.ts';
export { errorEvent, type StreamHead, type StreamOptions, writeChatStream } from './write-stream.ts';
