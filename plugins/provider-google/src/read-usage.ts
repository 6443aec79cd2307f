import { fieldsOf, readTokenCount, type UpstreamClient, type Usage } from '@patchbay/core/provider';

/**
 * The counts in disjoint buckets: Gemini counts cached tokens among those of the prompt, and thoughts beside those of
 * the answer. A count of nothing is left out of its JSON. Undefined where it does not say.
 */
export function readUsage(value: unknown, saidSomething: boolean, { badAnswer }: UpstreamClient): Usage | undefined {
  const usage = fieldsOf(value);
  const count = (name: string) => readTokenCount(usage?.[name], badAnswer);
  const prompt = count('promptTokenCount');
  const answer = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  const cached = count('cachedContentTokenCount') ?? 0;
  const ofTools = count('toolUsePromptTokenCount') ?? 0;
  if (prompt === undefined || (saidSomething && answer === undefined)) return undefined;
  if (cached > prompt) throw badAnswer('counts more tokens in a part than in the whole');
  return {
    uncachedInputTokens: prompt - cached + ofTools,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: (answer ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts ?? 0,
  };
}
