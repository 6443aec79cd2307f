import type { Check, Verdict } from '../eval-case.ts';

/** How good an output is, if the function returned one. */
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
