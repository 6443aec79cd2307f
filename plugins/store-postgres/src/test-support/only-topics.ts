import type { Runner } from '@patchbay/testing';

/** Runs of a suite the groups of tests with these names. */
export function onlyTopics(runner: Runner, topics: readonly string[]): Runner {
  return {
    describe(name, body) {
      if (topics.includes(name)) runner.describe(name, body);
    },
    it: (name, body) => runner.it(name, body),
  };
}
