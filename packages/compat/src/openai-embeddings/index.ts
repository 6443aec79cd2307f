/**
 * Embeddings of OpenAI. Failures are those of chat completions: `mapError`.
 *
 * @module
 */
export { type ErrorReply, mapError } from '../openai-chat/map-error.ts';
export { type EncodingFormat, type ParsedEmbeddingRequest, parseEmbeddingRequest } from './parse-request.ts';
export { readOriginalEmbeddings } from './read-original.ts';
export { type EmbeddingsAnswer, serializeEmbeddings } from './serialize-response.ts';
