import type { Usage } from '../contracts/provider.ts';
import { readTokenCount } from './token-usage.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Counts as they stand in an answer, each of them unread: undefined and `null` say that the vendor does not count it. */
export interface TokenCounts {
  /** All tokens of the question, with those that a cache had or took. */
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
 * What a call used, each token in one bucket. Undefined where the vendor does not count input or output: pass that to
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
export function readUsage(counts: TokenCounts, { badAnswer }: UpstreamClient): Usage | undefined {
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
