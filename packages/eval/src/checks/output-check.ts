import type { Check, Verdict } from '../eval-case.ts';

/** How much an output is worth, where the function gave one. */
type GradeOutput = (output: unknown, context: Parameters<Check['grade']>[1]) => Promise<Verdict> | Verdict;

/** A check of outputs: a function that failed has not passed. */
export function outputCheck(name: string, expectation: string, grade: GradeOutput): Check {
  return {
    name,
    expectation,
    grade: async (answer, context) =>
      answer.error === undefined ? await grade(answer.output, context) : { score: 0, passed: false },
  };
}
