import { jsonTextOf } from '@patchbay/contracts/base/json-text-of';
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

/** About what vendors count for a picture of medium size, or a page of a document. */
const TOKENS_PER_ATTACHMENT = 1_000;

/**
 * A count of tokens in an upstream's answer; undefined where the upstream did not say.
 *
 * @param fault Makes the error for a count that is none.
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
 * Usage for a provider that did not say.
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

/** Counts as they stand in an answer, each of them unread: undefined and `null` say that the vendor does not count it. */
export interface TokenCounts {
  /** All tokens of the prompt, including cache reads and writes. */
  readonly input: unknown;
  /** All tokens of the answer, with those of its reasoning; without them where `total` says so. */
  readonly output: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
  /** All tokens of the call. Default: vendors that do not say count reasoning among the answer. */
  readonly total?: unknown;
}

/**
 * The usage of a call, each token in one bucket. Undefined where the vendor does not count input or output: pass that to
 * `completeChat`, which estimates.
 *
 * @throws PatchbayError for counts that are none, such as -1.
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
  // xAI counts what a model thinks beside what it says, and not among it; the sum tells.
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

/** Tokens that one call can have. With more, what it costs could be more than a storage can count. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Make sure that the answer of a provider plugin can be passed on. Adapters check the responses of vendors; this checks
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
