import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ChatDelta, ErrorCode, PatchbayError } from '@patchbay/core/plugin';
import { PatchbayError as Errors } from '@patchbay/core/plugin';
import { apiKey } from './provider-under-test.ts';

/** The error of a call that has to fail with one of these codes. */
export async function failure(call: Promise<unknown>, ...codes: readonly ErrorCode[]): Promise<PatchbayError> {
  const error = await rejection(call);
  assert.ok(Errors.is(error), `a PatchbayError was thrown, not ${inspect(error)}`);
  assert.ok(codes.includes(error.code), `the code is ${codes.join(' or ')}, not ${error.code}: ${error.message}`);
  assert.ok(error.upstream, 'the error says what the upstream did');
  assertNoKey(error);
  return error;
}

/** What a call was rejected with. */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  assert.fail('the call was not rejected');
}

/** The key stands nowhere: not in the message, not in a cause, not in a member that no one prints. */
export function assertNoKey(value: unknown): void {
  const text = inspect(value, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null });
  assert.ok(!text.includes(apiKey), 'the key does not leave the provider');
}

export async function collect(stream: AsyncIterable<ChatDelta> | undefined): Promise<ChatDelta[]> {
  assert.ok(stream, 'the provider streams');
  const deltas: ChatDelta[] = [];
  for await (const delta of stream) deltas.push(delta);
  return deltas;
}
