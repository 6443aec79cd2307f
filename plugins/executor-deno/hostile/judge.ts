import { isDeepStrictEqual } from 'node:util';
import type { ExecutionOutcome } from '@patchbay/core/plugin';
import type { Expected } from './hostile-program.ts';

/** The result of a program: its outcome, or the codes of the faults for which it was not saved. */
export type Result =
  | { readonly kind: 'ended'; readonly outcome: ExecutionOutcome; readonly yielded?: readonly string[] }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Whether a program ended as expected. */
export function isExpected(result: Result, expected: Expected): boolean {
  if ('anything' in expected) return true;
  if ('either' in expected) return expected.either.some((one) => isExpected(result, one));
  if ('fault' in expected) return result.kind === 'refused' && result.faults.includes(expected.fault);
  if (result.kind === 'refused') return false;
  const { outcome } = result;
  if ('output' in expected) {
    const { yielded = [] } = result;
    const asYielded = expected.yielded?.map((output) => JSON.stringify(output)) ?? yielded;
    const isRight = outcome.status === 'completed' && isOutput(JSON.parse(outcome.output), expected.output);
    return isRight && isDeepStrictEqual(yielded, asYielded);
  }
  if (outcome.status === 'completed' || !expected.reasons.includes(outcome.error.reason)) return false;
  return expected.message === undefined || expected.message.test(outcome.error.message);
}

function isOutput(actual: unknown, expected: unknown): boolean {
  const refusal = refusalOf(expected);
  if (refusal === undefined) return isDeepStrictEqual(actual, JSON.parse(JSON.stringify(expected)));
  return refusal.split('|').includes(refusalOf(actual) ?? '');
}

function refusalOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('refused' in value)) return undefined;
  return typeof value.refused === 'string' ? value.refused : undefined;
}
