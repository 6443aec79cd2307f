export { contains, equals, failsWith } from './checks/compare.ts';
export { type FunctionTest, readTests, type TestsFile, TestsFileError } from './checks/read-tests.ts';
export { Vectors } from './checks/similar.ts';
export type { TestCheck } from './checks/test-check.ts';
export { default as testsSchema } from './checks/tests.schema.json' with { type: 'json' };
export type { Answer, Check, CheckContext, EvalCase, Verdict, Vote } from './eval-case.ts';
export { vote } from './eval-case.ts';
