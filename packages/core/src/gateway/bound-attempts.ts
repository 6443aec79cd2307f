import type { FailedAttempt } from './attempt.ts';

/** Enough to see what is wrong with a provider: with most of them, all models fail alike. */
const PER_PROVIDER = 3;

/** What of the failed attempts an answer lists: the first ones of each provider, and how many more each had. */
export function boundAttempts(attempts: readonly FailedAttempt[]) {
  const counts = new Map<string, number>();
  const listed = attempts.filter(({ model }) => {
    const provider = providerOf(model);
    const count = (counts.get(provider) ?? 0) + 1;
    counts.set(provider, count);
    return count <= PER_PROVIDER;
  });
  const more = [...counts].filter(([, count]) => count > PER_PROVIDER);
  return {
    attempts: listed.map(({ model, code }) => ({ model, code })),
    ...(more.length > 0 && {
      moreAttempts: Object.fromEntries(more.map(([provider, count]) => [provider, count - PER_PROVIDER])),
    }),
  };
}

/** Of `provider/model`. */
export function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}
