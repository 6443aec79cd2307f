import type { PatchbayError } from '@patchbay/contracts/errors';
import type {
  ChatDelta,
  ChatRequest,
  ChatResult,
  EmbedRequest,
  EmbedResult,
  ModelInfo,
  Usage,
} from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { estimateUsage } from './estimate-usage.ts';
import { partsOf } from './message-content.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** The response of an upstream, and how it ended. */
interface ChatAnswer extends Pick<ChatResult, 'content' | 'finishReason' | 'extra'> {
  /** Undefined if the upstream did not report it. */
  readonly usage: Usage | undefined;
  /** The name by which it identified itself. */
  readonly model?: string | undefined;
}

/** Model names are short; anything longer is not one. */
const LONGEST_NAME = 255;

/**
 * The result of a chat. A model may use up its tokens thinking, or have nothing to add to its own last message; every other
 * empty response is a failure.
 *
 * @param warnings One sentence for each thing that had to be expressed in another way.
 *
 * @example
 * ```ts
 * import { type ChatRequest, completeChat, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const resultOf = (content: string, request: ChatRequest, upstream: UpstreamClient) =>
 *   completeChat({ content, finishReason: 'stop', usage: undefined }, request, [], upstream);
 * ```
 */
export function completeChat(
  { content, finishReason, usage, extra, model = '' }: ChatAnswer,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const isEmpty = partsOf(content).every(({ type }) => type === 'reasoning');
  const continues = request.messages.at(-1)?.role === 'assistant' && finishReason === 'stop';
  if (isEmpty && finishReason !== 'length' && !continues) {
    if (finishReason !== 'content-filter') throw upstream.badAnswer('says nothing');
    throw providerError('content_filter', `${upstream.name} filtered the content`);
  }
  return {
    content,
    finishReason,
    usage: usage ?? estimateUsage(request, content),
    ...(model !== '' && model.length <= LONGEST_NAME && { model }),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(extra && { extra }),
  };
}

/**
 * The last delta of a stream that adds up to the result.
 *
 * @example
 * ```ts
 * import { type ChatDelta, type ChatResult, contentText, finishDelta } from '@patchbay/core/provider';
 *
 * export async function* deltasOf(result: ChatResult): AsyncGenerator<ChatDelta> {
 *   yield { type: 'text', text: contentText(result.content) };
 *   yield finishDelta(result);
 * }
 * ```
 */
export function finishDelta(result: ChatResult): ChatDelta {
  const { content: _, ...end } = result;
  return { type: 'finish', ...end };
}

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
