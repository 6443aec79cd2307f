/**
 * The list of models, for the clients of OpenAI and of Anthropic.
 *
 * @module
 */
export {};
