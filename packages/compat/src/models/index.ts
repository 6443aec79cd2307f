/**
 * The list of models, for the clients of OpenAI and of Anthropic.
 *
 * @module
 */
export { type Aliases, modelEntry, modelList } from './model-list.ts';
