export { equals } from './checks/equals.ts';
export type { Answer, Check, CheckContext, EvalCase, Verdict, Vote } from './eval-case.ts';
export { vote } from './eval-case.ts';
