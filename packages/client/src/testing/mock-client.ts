import type { Client } from '../client.ts';
import type { CallOptions } from '../dynamic/call-options.ts';
import { createDynamicClient } from '../dynamic/create-dynamic-client.ts';
import type { Declared, DynamicClient } from '../dynamic/dynamic-client.ts';
import type { CallRequest, CallResolver } from '../dynamic/resolve-call.ts';
import { PatchbayError } from '../errors.ts';
import type { Feedback, FeedbackBody } from '../methods/endpoints.ts';
import type { OutputOf } from '../shape/output.ts';

type Handler<T> = (input: Record<string, unknown>, options: CallOptions) => T | Promise<T>;

/** A handler for each function; those of declared functions return the declared output. */
export type Handlers<D extends Declared> = {
  // Not an intersection: with one, TypeScript would not infer that a returned string is one of the choices.
  readonly [N in keyof D | (string & {})]?: N extends keyof D ? Handler<OutputOf<D[N]>> : Handler<unknown>;
};

/** A recorded call. */
export interface MockCall {
  readonly name: string;
  readonly input: object;
  readonly options: CallOptions;
}

export interface MockClient<D extends Declared> {
  /** Pass it to the application in place of the real one. */
  readonly ai: DynamicClient<D>;
  /** The calls so far, in order. */
  readonly calls: readonly MockCall[];
  /** The feedback so far, in order. The target is `call_1` for the first call, and so on. */
  readonly feedback: readonly FeedbackBody[];
}

/**
 * An object like that of `AI`, served by functions of the test. It sends nothing, rejects invalid calls like the real one,
 * and validates outputs against the declared schemas. A call without a handler is an error.
 *
 * @param declared The same as in the application; `{}` if it declares nothing.
 *
 * @example
 * ```ts
 * import { mockClient } from '@patchbay/client/testing';
 *
 * const shapes = { headline: { text: 'at most eight words', tone: 'bold | calm' } } as const;
 * const { ai, calls } = mockClient(shapes, { headline: () => ({ text: 'Patch it', tone: 'bold' }) });
 * const { tone } = await ai.headline({ about: 'patch bays' });
 * console.log(tone, calls[0]?.input);
 * ```
 */
export function mockClient<const D extends Declared>(declared: D, handlers: Handlers<D>): MockClient<D> {
  const calls: MockCall[] = [];
  const given: FeedbackBody[] = [];
  const resolve: CallResolver = async ({ name, input, options, output }: CallRequest) => {
    // A copy: later changes by the application were not sent.
    const sent = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
    const id = `call_${calls.push({ name, input: sent, options })}`;
    options.signal?.throwIfAborted();
    const handler = handlers[name];
    if (!handler) throw new PatchbayError(`the mock has no handler for "${name}"`);
    const made = await handler(sent, options);
    const result: unknown = output?.wrapped ? { result: made } : made;
    const text = JSON.stringify({ output: result });
    const json = { id, output: result, source: 'mock', warnings: [] };
    return { status: 200, headers: new Headers(), retries: 0, text, json };
  };
  const client = (): Client => {
    throw new PatchbayError('the mock has no $client: it supports calls by name only');
  };
  const feedback = async (body: FeedbackBody): Promise<Feedback> => {
    given.push(body);
    const { metric = 'score', comment = null, demonstration = null } = body;
    const target = { functionId: null, name: null, settingsVersion: null, model: null };
    const at = { createdAt: new Date().toISOString(), createdBy: 'mock' };
    return { ...body, metric, comment, demonstration, id: `feedback_${given.length}`, ...target, ...at };
  };
  const ai = createDynamicClient(declared, { client, resolve, feedback, url: () => 'mock:' });
  return { ai, calls, feedback: given };
}
