import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatDelta, ModelInfo } from '../contracts/provider.ts';
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
async function openWith(providers: Parameters<typeof createTestGateway>[0]) {
  const { gateway } = await createTestGateway(providers, { timeoutMs: 600_000 });
  let settled: unknown = 'pending';
  const opened = gateway.streamChat({ messages: [{ role: 'user', content: 'x' }] }, contextOf('a'));
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
  it('the first token may take 12 s where another model can be asked, and then the connection is closed', async () => {
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

  it('the first token may take 120 s of a model that reasons', async () => {
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

  it('the first token may take 300 s of the last model', async () => {
    const { after } = await openWith({ a: streaming(untilAborted), b: streaming(untilAborted) });
    expect(await after(311_999)).toBe('pending');
    expect(await after(1)).toMatchObject({ code: 'provider_timeout', upstream: { kind: 'timeout' } });
  });

  it('the first token ends the limit: later tokens may take longer', async () => {
    const { opened, after } = await openWith({
      a: streaming(async function* (signal) {
        yield* untilAborted(signal, text);
      }),
      b: streaming(untilAborted),
    });
    expect(await after(0)).toBe('a/m');
    const { events } = await opened;
    const reading = (async () => {
      for await (const _ of events);
    })().catch((error: unknown) => error);
    await after(599_000);
    const ended = await Promise.race([reading, Promise.resolve('reading')]);
    expect(ended).toBe('reading');
    await after(1_000);
    expect(await reading).toMatchObject({ code: 'provider_timeout' });
  });

  it('the first token is not limited where the provider does not stream', async () => {
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
