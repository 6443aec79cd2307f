import assert from 'node:assert/strict';
import type { Attributes, Telemetry } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';

export interface TelemetryConformanceOptions {
  /** A telemetry that is not started, once for each test. Its collector should be unreachable: it must tolerate that. */
  create(): Telemetry | Promise<Telemetry>;
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Values that a host or a caller may pass, which must not make the work fail. */
const odd: readonly number[] = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE];
const attributes: Attributes = { text: 'ü\0\ud800', empty: '', number: Number.NaN, yes: true, ['__proto__']: 'x' };

/**
 * The tests that every telemetry has to pass, run against yours. Whether its measurements arrive is for your own tests: these
 * are about the measured code, which must not notice.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Telemetry } from '@patchbay/core/plugin';
 * import { telemetryConformance } from '@patchbay/testing';
 *
 * declare function createMyTelemetry(url: string): Telemetry;
 *
 * telemetryConformance({ describe, it }, { create: () => createMyTelemetry('http://127.0.0.1:1') });
 * ```
 */
export function telemetryConformance(runner: Runner, options: TelemetryConformanceOptions): void {
  const it = (name: string, body: (telemetry: Telemetry) => Promise<void>) =>
    runner.it(name, async () => {
      const telemetry = await options.create();
      try {
        await telemetry.start?.(new AbortController().signal);
        await body(telemetry);
      } finally {
        await telemetry.stop?.();
      }
    });

  runner.describe('telemetry', () => {
    it('returns the result of the work', async (telemetry) => {
      const answer = { n: 1 };
      assert.equal(await telemetry.span('work', {}, async () => answer), answer);
      assert.equal(await telemetry.span('work', attributes, async () => undefined), undefined);
    });

    it('rejects with the error of the work', async (telemetry) => {
      for (const failure of [new Error('no'), 'a text', undefined, { code: 1 }]) {
        const caught = await telemetry
          .span('work', {}, () => Promise.reject(failure))
          .then(
            () => 'nothing',
            (error: unknown) => ({ error }),
          );
        assert.deepEqual(caught, { error: failure });
      }
      const thrown = new TypeError('before there is a promise');
      const throws = (): Promise<never> => {
        throw thrown;
      };
      await assert.rejects(async () => await telemetry.span('work', {}, throws), thrown);
    });

    it('runs the work once and without delay', async (telemetry) => {
      let times = 0;
      const { promise: held, resolve } = Promise.withResolvers<void>();
      const span = telemetry.span('work', {}, () => {
        times += 1;
        return held;
      });
      // Awaited below: a failure before that must not count as unhandled.
      span.catch(() => {});
      await new Promise(setImmediate);
      assert.equal(times, 1);
      resolve();
      await span;
      assert.equal(times, 1);
    });

    it('holds spans within each other and beside each other, in whatever order they end', async (telemetry) => {
      const first = Promise.withResolvers<string>();
      const both = telemetry.span('outer', {}, () =>
        Promise.all([
          telemetry.span('first', {}, () => first.promise),
          telemetry.span('second', {}, async (span) => {
            span.set({ last: true });
            first.resolve('one');
            return 'two';
          }),
        ]),
      );
      assert.deepEqual(await both, ['one', 'two']);
    });

    it('accepts attributes during and after the work, and does not modify them', async (telemetry) => {
      const given = Object.freeze({ ...attributes });
      let late: ((more: Attributes) => void) | undefined;
      await telemetry.span('work', given, async (span) => {
        span.set(given);
        late = (more) => span.set(more);
      });
      late?.(given);
      assert.deepEqual(given, { ...attributes });
    });

    it('accepts every trace header a caller can send', async (telemetry) => {
      const sent = [
        { traceparent },
        { traceparent, tracestate: 'a=1,b=2' },
        { traceparent, tracestate: ',=,;\0' },
        { traceparent: '' },
        { traceparent: '00-0-0-zz' },
        { traceparent: 'ff-x' },
        { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00` },
      ];
      for (const trace of sent) assert.equal(await telemetry.span('work', {}, async () => 1, trace), 1);
    });

    it('never fails for a number', async (telemetry) => {
      for (const value of odd) {
        telemetry.count('a.count', value);
        telemetry.count('a.count', value, attributes);
        telemetry.record('a.duration', value);
        telemetry.record('a.duration', value, attributes);
      }
      // One name, measured in both ways.
      telemetry.record('a.count', 1);
      telemetry.count('a.duration', 1);
    });

    runner.it('lets work go on before it is started, and after it was stopped', async () => {
      const telemetry = await options.create();
      const measure = async () => {
        telemetry.count('a.count', 1, attributes);
        telemetry.record('a.duration', 1, attributes);
        assert.equal(await telemetry.span('work', {}, async () => 1), 1);
      };
      await measure();
      await telemetry.start?.(new AbortController().signal);
      const { promise: held, resolve } = Promise.withResolvers<number>();
      const open = telemetry.span('work', {}, async (span) => {
        const answer = await held;
        span.set(attributes);
        return answer;
      });
      await telemetry.stop?.();
      resolve(2);
      assert.equal(await open, 2);
      await measure();
    });
  });
}
