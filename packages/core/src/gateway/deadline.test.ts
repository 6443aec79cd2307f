import type { ChatDelta, ModelInfo } from '@patchbay/contracts/provider';
import type { RoutingOptions } from '@patchbay/contracts/router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';

// The clock of the timers is the test's: the limits are minutes.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const text: ChatDelta = { type: 'text', text: 'b' };
const finish: ChatDelta = { type: 'finish', finishReason: 'stop', usage };

async function* untilAborted(signal: AbortSignal, ...first: readonly ChatDelta[]): AsyncGenerator<ChatDelta> {
  yield* first;
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

const streaming = (stream: (signal: AbortSignal) => AsyncGenerator<ChatDelta>, more: Partial<ModelInfo> = {}) =>
  scriptedProvider([chatModel('m', more)], { stream: (_, signal) => stream(signal) });

/** Open a stream of the first of these models that answers, and see how it stands after so many milliseconds. */
async function openWith(providers: Parameters<typeof createTestGateway>[0], routing: RoutingOptions = {}) {
  const { gateway } = await createTestGateway(providers, { timeoutMs: 600_000 });
  let settled: unknown = 'pending';
  const opened = gateway.streamChat({ messages: [{ role: 'user', content: 'x' }], routing }, contextOf('a'));
  opened.then(
    ({ model }) => {
      settled = model;
    },
    (error: unknown) => {
      settled = error;
    },
  );
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return settled;
  };
  return { opened, after };
}

describe('the first token of a stream', () => {
  it('the first token may take 12 s if another model can be tried, and then the connection is closed', async () => {
    const signals: AbortSignal[] = [];
    const silent = streaming((signal) => {
      signals.push(signal);
      return untilAborted(signal, { type: 'text', text: '' });
    });
    const healthy = streaming(async function* () {
      yield text;
      yield finish;
    });
    const { after } = await openWith({ a: silent, b: healthy });
    expect(await after(11_999)).toBe('pending');
    expect(await after(1)).toBe('b/m');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('the first token of a reasoning model may take 120 s', async () => {
    const capabilities = ['chat', 'reasoning'] as const;
    const { after } = await openWith({
      a: streaming(untilAborted, { capabilities }),
      b: streaming(async function* () {
        yield text;
        yield finish;
      }),
    });
    expect(await after(119_999)).toBe('pending');
    expect(await after(1)).toBe('b/m');
  });

  it('the first token of the last model may take 300 s', async () => {
    const { after } = await openWith({ a: streaming(untilAborted), b: streaming(untilAborted) });
    expect(await after(311_999)).toBe('pending');
    expect(await after(1)).toMatchObject({ code: 'provider_timeout', upstream: { kind: 'timeout' } });
  });

  it('a first token that arrived while the process was paused is in time', async () => {
    const arrival = Promise.withResolvers<void>();
    const late = streaming(async function* () {
      await arrival.promise;
      yield text;
      yield finish;
    });
    const { opened, after } = await openWith({ a: late, b: streaming(untilAborted) });
    await after(1);
    vi.advanceTimersByTime(12_000);
    // Sockets are read between timers and immediates.
    arrival.resolve();
    expect((await opened).model).toBe('a/m');
  });

  it('the first token is not limited if the provider does not stream', async () => {
    const { after } = await openWith({
      a: scriptedProvider([chatModel('m')], {
        chat: async (_, signal) => {
          for await (const _delta of untilAborted(signal));
          throw new Error('unreachable');
        },
      }),
      b: streaming(untilAborted),
    });
    expect(await after(599_999)).toBe('pending');
  });
});

/** A model that sends these parts, and then nothing. */
const pausing = (...parts: readonly ChatDelta[]) => streaming((signal) => untilAborted(signal, ...parts));
const continuing = () =>
  streaming(async function* () {
    yield text;
    yield { type: 'text', text: 'c' };
    yield finish;
  });

describe('a pause within a stream', () => {
  /** The whole text of a stream, and the error that ended it. */
  const read = async ({ opened }: Awaited<ReturnType<typeof openWith>>) => {
    const result = { text: '', error: undefined as unknown };
    const { events } = await opened;
    const reading = (async () => {
      for await (const event of events) if ('delta' in event) result.text += event.delta;
    })().catch((error: unknown) => {
      result.error = error;
    });
    return { result, reading };
  };

  it('a pause may take 12 s if another model can continue the text', async () => {
    const signals: AbortSignal[] = [];
    const first = streaming((signal) => {
      signals.push(signal);
      return untilAborted(signal, text);
    });
    const stream = await openWith({ a: first, b: continuing() });
    expect(await stream.after(0)).toBe('a/m');
    const { result, reading } = await read(stream);
    await stream.after(11_999);
    expect(result).toEqual({ text: 'b', error: undefined });
    await stream.after(1);
    await reading;
    expect(result).toEqual({ text: 'bc', error: undefined });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  const forever: readonly (readonly [string, Parameters<typeof openWith>[0]])[] = [
    ['of the last model', { a: pausing(text) }],
    [
      'behind a tool call',
      { a: pausing(text, { type: 'tool-arguments', id: 'x', name: 'f', text: '{' }), b: continuing() },
    ],
    ['behind reasoning with a proof', { a: pausing({ type: 'reasoning-end', signature: 's' }), b: continuing() }],
  ];
  it.each(forever)('a pause %s may take as long as the request', async (_, providers) => {
    const stream = await openWith(providers);
    await stream.after(0);
    const { result, reading } = await read(stream);
    await stream.after(599_999);
    expect(result.error).toBeUndefined();
    await stream.after(1);
    await reading;
    expect(result.error).toMatchObject({ code: 'provider_timeout' });
  });

  it('a pause may take as long as the request if no other model should continue it', async () => {
    const stream = await openWith({ a: pausing(text), b: continuing() }, { onInterrupt: 'error' });
    await stream.after(0);
    const { result } = await read(stream);
    await stream.after(599_999);
    expect(result).toEqual({ text: 'b', error: undefined });
  });

  it('a pause does not count while the caller reads no further', async () => {
    const stream = await openWith({ a: continuing(), b: pausing() });
    await stream.after(0);
    const { events } = await stream.opened;
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    await stream.after(60_000);
    expect(await iterator.next()).toMatchObject({ value: { delta: 'c' } });
    expect(await iterator.next()).toMatchObject({ value: { done: { model: 'a/m' } } });
  });
});
