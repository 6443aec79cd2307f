import { type ErrorCode, errorCodes } from '@patchbay/core';
import { expect } from 'vitest';
import { problemFault } from './problem-fault.ts';
import type { Answer } from './server-process.ts';

/** Expect a problem document with this code, its status, and a fault at the pointer if one is named. */
export function expectProblem(answer: Answer, code: ErrorCode, pointer?: string, faultCode?: string): void {
  const faults = (answer.body['errors'] ?? []) as { pointer: string; code: string }[];
  expect({ status: answer.status, code: answer.body['code'] }, JSON.stringify(answer.body)).toEqual({
    status: errorCodes[code].status,
    code,
  });
  expect(problemFault(answer)).toBeUndefined();
  if (pointer === undefined) return;
  const found = faults.find((fault) => fault.pointer === pointer);
  expect(found, JSON.stringify(faults)).toBeDefined();
  if (faultCode !== undefined) expect(found?.code).toBe(faultCode);
}
