import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ErrorCode } from '@patchbay/core';
import type { PatchbayError } from '@patchbay/core/plugin';
import { PatchbayError as Errors } from '@patchbay/core/plugin';
import type { ChatDelta, Provider } from '@patchbay/core/provider';
import { apiKey } from './provider-under-test.ts';

/** The error of a call that has to fail with one of these codes. */
export async function failure(call: Promise<unknown>, ...codes: readonly ErrorCode[]): Promise<PatchbayError> {
  const error = await rejection(call, `an error ${codes.join(' or ')}`);
  assert.ok(Errors.is(error), `a PatchbayError ${codes.join(' or ')} was expected, not ${inspect(error)}`);
  assert.ok(
    codes.includes(error.code),
    `the code ${codes.join(' or ')} was expected, not ${error.code}: ${error.message}`,
  );
  assert.ok(error.upstream, `the error has no member upstream: make it with providerError or the upstream client`);
  assertNoKey(error);
  return error;
}

/** The result of a call, or undefined if it was refused as one that the vendor cannot serve. */
export async function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    await failure(Promise.reject(error), 'unsupported_parameter');
    return undefined;
  }
}

/** The reason with which a call was rejected. */
export async function rejection(call: Promise<unknown>, instead = 'a rejection'): Promise<unknown> {
  let result: unknown;
  try {
    result = await call;
  } catch (error) {
    return error;
  }
  assert.fail(`${instead} was expected, but the call resolved with ${inspect(result, { depth: 4 })}`);
}

/** A call that was aborted ends with the reason of its signal, whatever else went wrong meanwhile. */
export async function assertEndsWith(reason: Error, call: Promise<unknown>): Promise<void> {
  const error = await rejection(call, 'the reason of the signal');
  assert.ok(error === reason, `the reason of the signal was expected, not ${inspect(error)}: pass \`signal\` on`);
}

/** The key appears nowhere: not in the message, not in a cause, not in a member that is never printed. */
export function assertNoKey(value: unknown): void {
  const text = inspect(value, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null });
  assert.ok(
    !text.includes(apiKey),
    'the key stands in an error, a log or a health text: name it in `secrets` of createUpstreamClient',
  );
}

type Streamed = ReturnType<NonNullable<Provider['stream']>>;

export async function collect(stream: Streamed | undefined): Promise<ChatDelta[]> {
  const all: ChatDelta[] = [];
  for await (const delta of oneByOne(stream)) all.push(delta);
  return all;
}

/** The deltas of a stream, including those that it yields as a list. */
export async function* oneByOne(stream: Streamed | undefined): AsyncGenerator<ChatDelta> {
  assert.ok(stream, 'the provider streams');
  for await (const arrived of stream) {
    if ('type' in arrived) yield arrived;
    else yield* arrived;
  }
}
