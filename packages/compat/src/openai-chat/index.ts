/**
 * Chat completions of OpenAI.
 *
 * @module
 */
export {};
