import { fieldsOf, readTokenCount, type UpstreamClient, type Usage } from '@patchbay/core/plugin';

/** The counts in disjoint buckets: OpenAI counts cached tokens among those of the prompt. Undefined where it does not say. */
export function readUsage(value: unknown, { badAnswer }: UpstreamClient): Usage | undefined {
  const usage = fieldsOf(value);
  const promptDetails = fieldsOf(usage?.['prompt_tokens_details']);
  const completionDetails = fieldsOf(usage?.['completion_tokens_details']);
  const count = (of: unknown) => readTokenCount(of, badAnswer);
  const prompt = count(usage?.['prompt_tokens']);
  const output = count(usage?.['completion_tokens']);
  const cached = count(promptDetails?.['cached_tokens']) ?? 0;
  const written = count(promptDetails?.['cache_write_tokens']) ?? 0;
  const reasoning = count(completionDetails?.['reasoning_tokens']) ?? 0;
  if (prompt === undefined || output === undefined) return undefined;
  if (cached > prompt || reasoning > output) throw badAnswer('counts more tokens in a part than in the whole');
  const cacheWriteTokens = Math.min(written, prompt - cached);
  return {
    uncachedInputTokens: prompt - cached - cacheWriteTokens,
    cacheReadTokens: cached,
    cacheWriteTokens,
    outputTokens: output,
    reasoningTokens: reasoning,
  };
}
