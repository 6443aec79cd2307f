import type { Usage } from '../contracts/provider.ts';
import { fieldsOf } from './json-fields.ts';
import { readTokenCount } from './token-usage.ts';
import type { UpstreamClient } from './upstream-client.ts';

/**
 * The counts of a chat completion of OpenAI and of every server that speaks like it: `prompt_tokens`,
 * `completion_tokens` and their details. Undefined where the upstream did not say.
 */
export function readUsage(value: unknown, upstream: UpstreamClient): Usage | undefined {
  return usageOf(value, 'prompt', 'completion', upstream);
}

/**
 * The counts in disjoint buckets: OpenAI counts cached tokens among those of the question. Undefined where it does not
 * say.
 *
 * @param question What OpenAI calls the question, and `answer` the answer: its two APIs differ.
 */
export function usageOf(
  value: unknown,
  question: 'prompt' | 'input',
  answer: 'completion' | 'output',
  { badAnswer }: UpstreamClient,
): Usage | undefined {
  const usage = fieldsOf(value);
  const questionDetails = fieldsOf(usage?.[`${question}_tokens_details`]);
  const answerDetails = fieldsOf(usage?.[`${answer}_tokens_details`]);
  const count = (of: unknown) => readTokenCount(of, badAnswer);
  const asked = count(usage?.[`${question}_tokens`]);
  const answered = count(usage?.[`${answer}_tokens`]);
  const cached = count(questionDetails?.['cached_tokens']) ?? 0;
  const written = count(questionDetails?.['cache_write_tokens']) ?? 0;
  const reasoning = count(answerDetails?.['reasoning_tokens']) ?? 0;
  if (asked === undefined || answered === undefined) return undefined;
  // xAI counts what a model thinks beside what it says, and not among it; the sum tells.
  const isBeside = usage?.['total_tokens'] === asked + answered + reasoning;
  const output = isBeside ? answered + reasoning : answered;
  if (cached > asked || reasoning > output) throw badAnswer('counts more tokens in a part than in the whole');
  const cacheWriteTokens = Math.min(written, asked - cached);
  return {
    uncachedInputTokens: asked - cached - cacheWriteTokens,
    cacheReadTokens: cached,
    cacheWriteTokens,
    outputTokens: output,
    reasoningTokens: reasoning,
  };
}
