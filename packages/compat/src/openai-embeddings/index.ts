/**
 * Embeddings of OpenAI.
 *
 * @module
 */
export {};
