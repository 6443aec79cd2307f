import type { Check, Verdict } from '../eval-case.ts';

/** A check that says what it expects, for people who read why a test failed. */
export interface TestCheck extends Check {
  /** Such as `at least {"city":"Rome"}`. */
  readonly expectation: string;
}

/** How much an output is worth, where the function gave one. */
type GradeOutput = (output: unknown, context: Parameters<TestCheck['grade']>[1]) => Promise<Verdict> | Verdict;

/** A check of outputs: a function that failed has not passed. */
export function outputCheck(name: string, expectation: string, grade: GradeOutput): TestCheck {
  return {
    name,
    expectation,
    grade: async (answer, context) =>
      answer.error === undefined ? await grade(answer.output, context) : { score: 0, passed: false },
  };
}
