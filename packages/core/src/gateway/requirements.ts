import type { Schema } from '../contracts/json-schema.ts';
import type { Message, ModelCapability, Sampling, Tool } from '../contracts/provider.ts';
import type { RoutingOptions } from '../contracts/router.ts';

/** What a model has to be able to do for one request. */
export interface Requirements {
  readonly capabilities: readonly ModelCapability[];
  readonly sampling: Sampling;
  /** Estimated tokens of the question. */
  readonly inputTokens: number;
  /** Fewer tokens than this the question cannot have, whatever the tokenizer. */
  readonly leastInputTokens: number;
  readonly routing: RoutingOptions;
  /** The name of the function that is done, where one is: what was learned of it is asked for. */
  readonly task?: string;
}

const samplingNames = ['maxTokens', 'temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;

/** The sampling values of a request, without those that are left out. */
export function samplingOf(input: Sampling): Sampling {
  const sampling: { -readonly [N in keyof Sampling]: Sampling[N] } = {};
  for (const name of samplingNames) {
    const value = input[name];
    if (value !== undefined) sampling[name] = value;
  }
  return sampling;
}

export function chatRequirements(request: {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly responseSchema?: Schema;
  readonly sampling: Sampling;
  readonly routing: RoutingOptions | undefined;
}): Requirements {
  const { messages, tools, responseSchema, sampling, routing = {} } = request;
  const capabilities = new Set<ModelCapability>(['chat', ...(routing.capabilities ?? [])]);
  if (messages.some(hasImage)) capabilities.add('vision');
  if (tools) capabilities.add('tools');
  if (responseSchema) capabilities.add('structured-output');
  const characters = messages.reduce((sum, message) => sum + textLength(message), 0) + jsonLength(tools);
  return { capabilities: [...capabilities], sampling, ...tokenEstimate(characters), routing };
}

export function embedRequirements(text: string, routing: RoutingOptions = {}): Requirements {
  const capabilities = new Set<ModelCapability>(['embeddings', ...(routing.capabilities ?? [])]);
  return { capabilities: [...capabilities], sampling: {}, ...tokenEstimate(text.length), routing };
}

/** Tokens of a text, by the rule of thumb of four characters each. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

// Assumed, not measured: on ordinary text a token has 16 characters at most. What is doubtful is left to the provider.
function tokenEstimate(characters: number): { inputTokens: number; leastInputTokens: number } {
  return { inputTokens: estimateTokens(characters), leastInputTokens: Math.floor(characters / 16) };
}

function hasImage({ content }: Message): boolean {
  return typeof content !== 'string' && content.some((part) => part.type === 'image');
}

function textLength({ content }: Message): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

const jsonLength = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);
