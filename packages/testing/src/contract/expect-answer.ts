import assert from 'node:assert/strict';
import type { Answer } from './api-under-test.ts';

export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function assertProblem(answer: Answer, status: number, code: string, pointer?: string): void {
  assert.deepEqual([answer.status, answer.body['code']], [status, code], answer.text.slice(0, 500));
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.body['status'], status);
  assert.equal(answer.body['requestId'], answer.headers.get('request-id'));
  if (pointer === undefined) return;
  const pointers = (answer.body['errors'] as readonly { readonly pointer: string }[]).map((fault) => fault.pointer);
  assert.ok(pointers.includes(pointer), `${pointer} is not among ${pointers.join(', ')}`);
}

/** Members of a document and their values, ignoring all others. */
export function assertMembers(
  body: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): void {
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, body[name]])), expected);
}

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a page. */
export function rowsOf({ status, body, text }: Answer): readonly Row[] {
  assert.equal(status, 200, text.slice(0, 500));
  return body['data'] as readonly Row[];
}

export function assertDeletion({ status, body }: Answer): void {
  assert.deepEqual([status, body['success'], typeof body['message']], [200, true, 'string']);
}
