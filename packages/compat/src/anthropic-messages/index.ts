/**
 * Messages of Anthropic.
 *
 * @module
 */
export {};
