import { createHash } from 'node:crypto';
import { hasUnsupportedUnicode, jsonLimits } from '@patchbay/contracts/base/check-json';
import { rememberText, scanJson } from '@patchbay/contracts/base/json-text';
import { withoutSpace } from '@patchbay/contracts/base/parse-in-turns';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { EmbedRequest, EmbedResult, ModelInfo, ToolCall } from '@patchbay/contracts/provider';
import { estimateTokens } from './estimate-usage.ts';
import { fieldsOf, listOf, textOf } from './json-fields.ts';
import { readTokenCount } from './provider-result.ts';
import type { UpstreamClient } from './upstream-client.ts';

/**
 * The vector in an upstream's response: finite numbers, as many as the model's dimensions if these are known.
 *
 * @param fault Creates the error for anything else.
 */
export function readEmbedding(
  value: unknown,
  dimensions: number | undefined,
  fault: (what: string) => PatchbayError,
): readonly number[] {
  const numbers = listOf(value);
  if (!numbers || numbers.length === 0) throw fault('has no vector');
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) {
    throw fault('has a vector with elements that are not numbers');
  }
  if (dimensions !== undefined && numbers.length !== dimensions) {
    throw fault(`has a vector of ${numbers.length} numbers, where the model has ${dimensions}`);
  }
  return numbers as readonly number[];
}

/**
 * The result of an embedding, from vectors and a token count that are still unread. Tokens that the upstream does
 * not count are estimated, with a warning.
 *
 * @example
 * ```ts
 * import { completeEmbedding, type EmbedRequest, type JsonFields, type ModelInfo, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const resultOf = (answer: JsonFields, request: EmbedRequest, model: ModelInfo, upstream: UpstreamClient) =>
 *   completeEmbedding({ vectors: [answer['embedding']], tokens: answer['tokens'] }, request, model, upstream);
 * ```
 */
export function completeEmbedding(
  answer: { readonly vectors: readonly unknown[]; readonly tokens: unknown },
  request: EmbedRequest,
  model: ModelInfo,
  { badAnswer, name }: UpstreamClient,
): EmbedResult {
  const { texts, dimensions = model.dimensions } = request;
  if (answer.vectors.length !== texts.length) throw badAnswer('has another number of vectors than of texts');
  const embeddings = answer.vectors.map((vector) => readEmbedding(vector, dimensions, badAnswer));
  const tokens = readTokenCount(answer.tokens, badAnswer);
  if (tokens !== undefined) return { embeddings, tokens };
  const estimated = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { embeddings, tokens: estimated, warnings: [`${name} did not count tokens: estimated`] };
}

/**
 * The tool call in an upstream's response, whose members are still unread.
 *
 * @throws PatchbayError for a call without id or name, and as `readToolArguments` does.
 *
 * @example
 * ```ts
 * import { type JsonFields, readToolCall, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const callIn = (block: JsonFields, upstream: UpstreamClient) =>
 *   readToolCall({ id: block['id'], name: block['name'], arguments: block['input'] }, upstream);
 * ```
 */
export function readToolCall(
  call: { readonly id: unknown; readonly name: unknown; readonly arguments: unknown },
  { badAnswer }: UpstreamClient,
): ToolCall {
  const [id, name] = [textOf(call.id), textOf(call.name)];
  if (!id || !name) throw badAnswer('has a tool call without id or name', call);
  return { id, name, arguments: readToolArguments(call.arguments) };
}

/**
 * The arguments of a tool call, which vendors send as a JSON string or as an object. An empty string is a call without
 * arguments.
 *
 * @throws PatchbayError `function_call_invalid` for everything else: the upstream works, and its model can be shown what
 *   was wrong with the call.
 *
 * @example
 * ```ts
 * import { readToolArguments } from '@patchbay/core/provider';
 *
 * console.log(readToolArguments('{"city": "Bern"}')['city']); // Bern
 * ```
 */
export function readToolArguments(value: unknown): JsonObject {
  const text = typeof value === 'string' ? value : undefined;
  const shape = text === undefined ? undefined : scanJson(text, { depth: jsonLimits.depth, values: MAX_VALUES });
  if (shape && shape.values > MAX_VALUES) throw invalid(`that have more than ${MAX_VALUES} values`);
  const parsed = fieldsOf(text === undefined ? value : parseJson(text === '' ? '{}' : text));
  if (!parsed) throw invalid('that are no JSON object');
  const isTooDeep = shape ? shape.depth > jsonLimits.depth : isDeeperThan(parsed, jsonLimits.depth);
  if (isTooDeep) throw invalid(`nested more than ${jsonLimits.depth} levels deep`);
  if (text !== undefined && text !== '' && hasUnsupportedUnicode(text)) {
    throw invalid('that have a NUL character or a lone surrogate');
  }
  // They are validated and returned as text: serializing again takes as long as parsing.
  if (text !== undefined && text.length >= REMEMBERED_LENGTH) rememberText(parsed, withoutSpace(text));
  return parsed as JsonObject;
}

/** Values in the arguments. All their readers work in a single turn of the event loop. */
const MAX_VALUES = 20_000;

/** Characters of arguments whose text is remembered. */
const REMEMBERED_LENGTH = 65_536;

const invalid = (what: string) =>
  new PatchbayError('function_call_invalid', `a function was called with arguments ${what}`);

/** For a parsed value: there may be no text. Deeper values are read without trouble, but writing them overflows the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // `Object.values` of 20,000 members takes several times as long.
  for (const name in value) {
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  }
  return false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * An id of a tool call in a form that every vendor accepts: letters, digits, `_` and `-`, at most 40 of them.
 *
 * A conversation may continue with another vendor than the one that issued the id. An invalid id is replaced by its
 * hash, so that a call and its result keep belonging together.
 *
 * @example
 * ```ts
 * import { portableToolCallId } from '@patchbay/core/provider';
 *
 * console.log(portableToolCallId('call_1')); // call_1
 * ```
 */
export function portableToolCallId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
