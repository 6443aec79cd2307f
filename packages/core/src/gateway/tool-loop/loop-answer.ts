import type { Usage } from '@patchbay/contracts/provider';
import type { Answer, ChatAnswer, TokenCounts } from '../gateway-service.ts';

/** The last answer of a loop with the head of the first, and the tokens and distinct warnings of all. */
export function loopAnswer<A extends Answer & TokenCounts>(answers: readonly A[], warnings: readonly string[] = []): A {
  const [first, last] = [answers[0], answers.at(-1)];
  if (!first || !last) throw new Error('a loop has at least one step');
  const sum = (count: (answer: A) => number): number => answers.reduce((total, answer) => total + count(answer), 0);
  return {
    ...last,
    id: first.id,
    createdAt: first.createdAt,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    totalTokens: sum(({ totalTokens }) => totalTokens),
    warnings: [...new Set([...answers.flatMap((answer) => answer.warnings), ...warnings])],
  };
}

/** The token counts of all steps. */
export function loopUsage(answers: readonly ChatAnswer[]): Usage {
  const sum = (name: Exclude<keyof Usage, 'estimated'>): number =>
    answers.reduce((total, { usage }) => total + usage[name], 0);
  return {
    uncachedInputTokens: sum('uncachedInputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    ...(answers.some(({ usage }) => usage.estimated) && { estimated: true }),
  };
}
