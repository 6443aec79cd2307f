import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { AssistantContent, ContentPart, Message } from '@patchbay/contracts/message';
import type {
  ChatRequest,
  ChatResult,
  EmbedRequest,
  EmbedResult,
  ModelInfo,
  Usage,
} from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import type { UpstreamClient } from './upstream-client.ts';

/** About what vendors count for a medium-sized image, or a page of a document. */
const TOKENS_PER_ATTACHMENT = 1_000;

/**
 * A token count in an upstream's response; undefined if the upstream did not report it.
 *
 * @param fault Creates the error for an invalid count.
 *
 * @example
 * ```ts
 * import { type JsonFields, readTokenCount, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const tokensOf = (answer: JsonFields, { badAnswer }: UpstreamClient) => readTokenCount(answer['tokens'], badAnswer);
 * ```
 */
export function readTokenCount(value: unknown, fault: (what: string) => PatchbayError): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw fault('has an invalid token count');
}

/**
 * About how many tokens a text has: a quarter of its UTF-8 bytes, rounded up.
 *
 * @example
 * ```ts
 * import { estimateTokens } from '@patchbay/core/provider';
 *
 * console.log(estimateTokens('Hello, world')); // 3
 * ```
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Usage for a provider that did not report it.
 *
 * @example
 * ```ts
 * import { estimateUsage } from '@patchbay/core/provider';
 *
 * const request = { model: 'large', messages: [{ role: 'user', content: 'Hello' }] } as const;
 * console.log(estimateUsage(request, 'Hello to you').estimated); // true
 * ```
 */
export function estimateUsage(request: ChatRequest, content: AssistantContent): Usage {
  let input = estimateTokens(JSON.stringify([request.tools ?? '', request.responseSchema ?? '']));
  for (const message of request.messages) {
    input += estimateContent(message.content);
  }
  return {
    uncachedInputTokens: input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateContent(content),
    reasoningTokens: 0,
    estimated: true,
  };
}

function estimateContent(content: Message['content']): number {
  if (typeof content === 'string') return estimateTokens(content);
  return (content as readonly ContentPart[]).reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: ContentPart): number {
  if (part.type === 'tool-call') return estimateTokens(part.name + jsonTextOf(part.arguments));
  return 'text' in part ? estimateTokens(part.text) : TOKENS_PER_ATTACHMENT;
}

/** Raw counts from a response: undefined and `null` mean that the vendor does not report it. */
export interface TokenCounts {
  /** All tokens of the prompt, including cache reads and writes. */
  readonly input: unknown;
  /** All tokens of the response, including those of its reasoning; without them if `total` shows that. */
  readonly output: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
  /** All tokens of the call. Default: vendors without it count reasoning as part of the response. */
  readonly total?: unknown;
}

/**
 * The usage of a call, each token in one bucket. Undefined if the vendor does not report input or output: pass that to
 * `completeChat`, which estimates.
 *
 * @throws PatchbayError for invalid counts, such as -1.
 *
 * @example
 * ```ts
 * import { fieldsOf, type JsonFields, readUsage, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export function usageIn(answer: JsonFields, upstream: UpstreamClient) {
 *   const counted = fieldsOf(answer['counted']);
 *   return readUsage({ input: counted?.['in'], output: counted?.['out'] }, upstream);
 * }
 * ```
 */
export function readUsage(counts: TokenCounts, { badAnswer }: Pick<UpstreamClient, 'badAnswer'>): Usage | undefined {
  const count = (of: unknown) => readTokenCount(of, badAnswer);
  const input = count(counts.input);
  const answered = count(counts.output);
  const cached = count(counts.cacheRead) ?? 0;
  const written = count(counts.cacheWrite) ?? 0;
  const reasoning = count(counts.reasoning) ?? 0;
  if (input === undefined || answered === undefined) return undefined;
  // xAI counts reasoning separately, instead of as a part of the output; the sum shows it.
  const isBeside = counts.total === input + answered + reasoning;
  const output = isBeside ? answered + reasoning : answered;
  if (cached > input || reasoning > output) throw badAnswer('counts more tokens in a part than in the whole');
  const cacheWriteTokens = Math.min(written, input - cached);
  return {
    uncachedInputTokens: input - cached - cacheWriteTokens,
    cacheReadTokens: cached,
    cacheWriteTokens,
    outputTokens: output,
    reasoningTokens: reasoning,
  };
}

/** Maximum tokens of one call. With more, its cost could exceed what a storage can count. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Make sure that the result of a provider plugin can be passed on. Adapters check the responses of vendors; this checks
 * the adapters, because impossible numbers would end up in a bill.
 */
export function checkChatResult(result: ChatResult, provider: string): ChatResult {
  const { content } = result;
  if (typeof content !== 'string' && !Array.isArray(content)) throw unusable(provider, 'an answer without content');
  checkUsage(result.usage, provider);
  return result;
}

export function checkUsage(usage: Usage, provider: string): void {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const counts = [uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens];
  for (const count of counts) checkTokens(count, provider);
}

export function checkTokens(count: number, provider: string): void {
  if (Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS) return;
  throw unusable(provider, 'impossible usage');
}

export function checkEmbeddings(
  result: EmbedResult,
  request: EmbedRequest,
  info: ModelInfo,
  provider: string,
): EmbedResult {
  const { embeddings, tokens } = result;
  if (embeddings.length !== request.texts.length) throw unusable(provider, 'another number of vectors than of texts');
  const length = request.dimensions ?? info.dimensions ?? embeddings[0]?.length;
  for (const embedding of embeddings) {
    if (embedding.length === 0 || !embedding.every(Number.isFinite)) throw unusable(provider, 'an unusable vector');
    if (embedding.length === length) continue;
    throw unusable(provider, `a vector of ${embedding.length} dimensions instead of ${length}`);
  }
  checkTokens(tokens, provider);
  return result;
}

const unusable = (provider: string, what: string) => providerError('bad_response', `${provider} sent ${what}`);
