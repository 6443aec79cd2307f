import { fieldsOf, type JsonFields, readTokenCount, type UpstreamClient, type Usage } from '@patchbay/core/provider';

/** Anthropic's buckets do not overlap. Undefined where it does not say. */
export function readUsage(usage: JsonFields | undefined, { badAnswer }: UpstreamClient): Usage | undefined {
  const count = (of: unknown) => readTokenCount(of, badAnswer);
  const input = count(usage?.['input_tokens']);
  const output = count(usage?.['output_tokens']);
  const read = count(usage?.['cache_read_input_tokens']) ?? 0;
  const written = count(usage?.['cache_creation_input_tokens']) ?? 0;
  const thinking = count(fieldsOf(usage?.['output_tokens_details'])?.['thinking_tokens']) ?? 0;
  if (input === undefined || output === undefined) return undefined;
  if (thinking > output) throw badAnswer('counts more tokens in a part than in the whole');
  return {
    uncachedInputTokens: input,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: output,
    reasoningTokens: thinking,
  };
}
