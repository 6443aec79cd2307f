import { fieldsOf, readUsage, type TokenCounts, type UpstreamClient, type Usage } from '@patchbay/core/provider';

/** Reads the usage of a chat completion, of OpenAI and of every server that is compatible with it. */
export function readChatUsage(value: unknown, upstream: UpstreamClient): Usage | undefined {
  const usage = fieldsOf(value);
  const prompt = fieldsOf(usage?.['prompt_tokens_details']);
  const counts: TokenCounts = {
    input: usage?.['prompt_tokens'],
    output: usage?.['completion_tokens'],
    cacheRead: prompt?.['cached_tokens'],
    cacheWrite: prompt?.['cache_write_tokens'],
    reasoning: fieldsOf(usage?.['completion_tokens_details'])?.['reasoning_tokens'],
    total: usage?.['total_tokens'],
  };
  return readUsage(counts, upstream);
}
