import { isDeepStrictEqual } from 'node:util';
import type { Usage } from '@patchbay/core/provider';
import type { UpstreamDialect } from '../upstream/dialects/dialect.ts';
import { completeAnswer, type UpstreamAnswer } from '../upstream/upstream-answer.ts';
import type { UpstreamRequest } from '../upstream/upstream-request.ts';

const request: UpstreamRequest = {
  method: 'POST',
  path: '/',
  headers: {},
  body: '{}',
  json: {},
  connection: 1,
  aborted: false,
  closed: new AbortController().signal,
};

/** The usage without the counts that a vendor does not distinguish: its response is the same with and without them. */
export function countedUsage(dialect: UpstreamDialect, usage: Usage): Usage {
  const told = (other: Partial<Usage>) => dialect.answer(request, completeAnswer({ usage: { ...usage, ...other } }));
  const whole = told({});
  const cached = usage.cacheReadTokens;
  const silent = {
    cacheReadTokens: [
      { cacheReadTokens: 0 },
      { cacheReadTokens: 0, uncachedInputTokens: usage.uncachedInputTokens + cached },
    ],
    reasoningTokens: [{ reasoningTokens: 0 }],
  };
  const unsaid = Object.entries(silent).filter(([, others]) =>
    others.some((other) => isDeepStrictEqual(told(other), whole)),
  );
  return { ...usage, ...Object.fromEntries(unsaid.map(([name]) => [name, 0])) };
}

/** Whether the vendor reports how many tokens were used. */
export function tellsUsage(dialect: UpstreamDialect): boolean {
  const told = (tokens: number) => ({ usage: { uncachedInputTokens: tokens, outputTokens: tokens } });
  return tellsApart(dialect, told(1_000), told(2_000));
}

/** Whether the vendor responds differently with one than with the other. */
export function tellsApart(dialect: UpstreamDialect, one: UpstreamAnswer, other: UpstreamAnswer): boolean {
  const [told, compared] = [one, other].map((answer) => dialect.answer(request, completeAnswer(answer)));
  return !isDeepStrictEqual(told, compared);
}
