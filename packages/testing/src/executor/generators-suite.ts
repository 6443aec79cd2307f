import assert from 'node:assert/strict';
import type { ExecutionJob, JsonValue } from '@patchbay/core/plugin';
import { type ExecutorSuite, failureOf, type RunOptions, type Subject } from './executor-under-test.ts';

const words = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'integer' } },
} as const;

type OutputWatcher = NonNullable<ExecutionJob['watcher']>;

interface Watched {
  readonly watcher: OutputWatcher;
  readonly seen: readonly JsonValue[];
}

/** A reader that takes every output at once, or when `taken` resolves. */
function reader(taken?: (index: number) => Promise<void>): Watched {
  const seen: JsonValue[] = [];
  const refuse = (): never => assert.fail('code writes no text');
  const watcher: OutputWatcher = {
    wrote: refuse,
    restarted: refuse,
    async yielded(output) {
      seen.push(JSON.parse(output) as JsonValue);
      await taken?.(seen.length - 1);
    },
  };
  return { watcher, seen };
}

/** The outputs that a generator yields, and its final one, which is the same without a reader. */
async function watch(subject: Subject, code: string, options: RunOptions = {}) {
  const { watcher, seen } = reader();
  const prepared = await subject.prepare(code, options);
  const [watched, unwatched] = [
    await subject.execute(prepared, { ...options, watcher }),
    await subject.execute(prepared, options),
  ];
  assert.deepEqual(
    [unwatched.status, 'output' in unwatched && unwatched.output, 'error' in unwatched && unwatched.error.reason],
    [watched.status, 'output' in watched && watched.output, 'error' in watched && watched.error.reason],
  );
  return { seen, outcome: watched };
}

/** Generators, whose outputs are seen before the last one. */
export function generatorsSuite({ runner, it, options }: ExecutorSuite): void {
  if (!options.capabilities?.includes('generators')) return;
  runner.describe('generators', () => {
    it('yield outputs, of which the last one counts if none is returned', async (subject) => {
      for (const code of [
        'export default async function* () { yield { n: 1 }; await null; yield { n: 2 }; }',
        'function* run() { yield { n: 1 }; yield Promise.resolve({ n: 2 }); }',
        'export default () => (async function* () { yield { n: 1 }; yield { n: 2 }; return undefined; })()',
        'async () => new ReadableStream({ start(c) { c.enqueue({ n: 1 }); c.enqueue({ n: 2 }); c.close(); } })',
      ]) {
        const { seen, outcome } = await watch(subject, code);
        assert.deepEqual([seen, outcome.status], [[{ n: 1 }, { n: 2 }], 'completed'], code);
        assert.equal(outcome.status === 'completed' && outcome.output, '{"n":2}');
      }
    });

    it('return the output if they return one', async (subject) => {
      const { seen, outcome } = await watch(
        subject,
        'async function* run({ n = 3 }) { yield { step: n }; return { done: true }; }',
        { input: { n: 5 } },
      );
      assert.deepEqual(seen, [{ step: 5 }]);
      assert.equal(outcome.status === 'completed' && outcome.output, '{"done":true}');
    });

    it('add text to the only text property', async (subject) => {
      const code = "async function* run() { yield 'a'; yield 'b'; yield { count: 1, text: 'x' }; yield 'y'; }";
      const { seen } = await watch(subject, code, { outputSchema: words });
      assert.deepEqual(seen, [{ text: 'a' }, { text: 'ab' }, { count: 1, text: 'x' }, { count: 1, text: 'xy' }]);
      const twoTexts = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } as const;
      for (const outputSchema of [twoTexts, { type: 'object' } as const]) {
        const refused = await watch(subject, "export default function* (): any { yield 'a'; }", { outputSchema });
        failureOf(refused.outcome, 'output_unserializable');
      }
    });

    it('yield what an output can be, and nothing else', async (subject) => {
      for (const value of ['5', 'null', 'undefined', '[1]', '{ n: 1n }', '{ n: NaN }', '{ f() {} }']) {
        const { seen, outcome } = await watch(subject, `async function* run() { yield { ok: 1 }; yield ${value}; }`);
        assert.deepEqual(seen, [{ ok: 1 }], value);
        failureOf(outcome, 'output_unserializable');
      }
      failureOf((await watch(subject, 'function* run() {}')).outcome, 'output_unserializable');
    });

    it('keep each output below the limit, and all together', async (subject) => {
      const limits = { outputBytes: 1_000 };
      const large = await watch(
        subject,
        "function* run() { yield { t: 'a'.repeat(900) }; yield { t: 'a'.repeat(999) }; }",
        { limits },
      );
      assert.equal(large.seen.length, 1);
      failureOf(large.outcome, 'output_too_large');
      const many = await watch(subject, "function* run() { for (;;) yield { t: 'a'.repeat(900) }; }", { limits });
      assert.equal(many.seen.length, Math.floor(256_000 / 908));
      failureOf(many.outcome, 'output_too_large');
    });

    it('go on only for a few outputs before one was taken', async (subject) => {
      const lines: string[] = [];
      const ahead: number[] = [];
      const { watcher, seen } = reader(async () => {
        ahead.push(lines.length - seen.length);
        // Time for the code to go on.
        await new Promise((resolve) => setTimeout(resolve, 1));
      });
      const code = (filler: number) =>
        `async function* run(_, { log }) { for (let n = 0; n < 300; n++) { log.info(String(n)); yield { n, filler: 'x'.repeat(${filler}) }; } }`;
      for (const filler of [0, 10_000]) {
        const outcome = await subject.run(code(filler), { watcher, onLog: ({ message }) => lines.push(message) });
        assert.equal(outcome.status, 'completed');
      }
      assert.deepEqual([lines.length, seen.length], [600, 600]);
      assert.ok(Math.max(...ahead.slice(0, 300)) <= 100);
      assert.ok(Math.max(...ahead.slice(301)) <= 10);
    });

    it('come in order with the lines that are logged between them', async (subject) => {
      // A line says how many outputs were yielded before it, and there are up to two before each output.
      const code = (log: string, filler: number) => `async function* run(_, { log }) {
        for (let n = 0; n < 60; n++) {
          for (let count = 0; count < n % 3; count++) ${log}(String(n));
          yield { n, filler: 'x'.repeat(${filler}) };
        }
      }`;
      for (const given of [code('console.log', 0), code('log.info', 0), code('log.info', 2_000)]) {
        const lines: number[] = [];
        const { watcher, seen } = reader(async (index) => {
          const expected = Array.from({ length: index + 1 }, (_, n) => Array.from({ length: n % 3 }, () => n)).flat();
          assert.deepEqual(
            lines.filter((before) => before <= index),
            expected,
            `lines before output ${index}`,
          );
          await new Promise(setImmediate);
        });
        const outcome = await subject.run(given, {
          watcher,
          onLog({ message }, outputs = seen.length) {
            assert.equal(outputs, Number(message));
            lines.push(outputs);
          },
        });
        assert.deepEqual([outcome.status, seen.length, lines.length], ['completed', 60, 60]);
      }
    });

    it('yield thousands of outputs in order', async (subject) => {
      const { seen } = await watch(subject, 'async function* run() { for (let n = 0; n < 2_000; n++) yield { n }; }');
      assert.deepEqual(
        seen,
        Array.from({ length: 2_000 }, (_, n) => ({ n })),
      );
    });

    it('fail in the middle', async (subject) => {
      const { seen, outcome } = await watch(
        subject,
        "async function* run() { yield { n: 1 }; throw new Error('no'); }",
      );
      assert.deepEqual(seen, [{ n: 1 }]);
      assert.equal(failureOf(outcome, 'function_threw').message, 'no');
      failureOf(
        (await watch(subject, 'async function* run() { yield { n: 1 }; await new Promise(() => {}); }')).outcome,
        'never_settled',
      );
    });

    it('end while their reader stays away', async (subject) => {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const { watcher } = reader(() => {
        arrive();
        return new Promise(() => {});
      });
      const code = 'async function* run() { try { for (;;) yield {}; } finally { for (;;) {} } }';
      failureOf(await subject.run(code, { watcher, limits: { wallMs: 500 } }), 'wall_limit');
      const controller = new AbortController();
      const before = subject.busyProcesses();
      const running = subject.run(code, { watcher, signal: controller.signal });
      await arrived;
      controller.abort();
      failureOf(await running, 'cancelled');
      assert.deepEqual(
        subject.busyProcesses().filter((pid) => !before.includes(pid)),
        [],
      );
    });

    it('call the host between two outputs', async (subject) => {
      if (!options.capabilities?.includes('host-calls')) return;
      const host = { maxCalls: 10, secrets: {}, call: async () => '{"text":"b"}' };
      const code = `async function* run(_, { ai }) {
        const call = ai.generate({});
        yield { text: 'a' };
        yield { text: (await call).text };
        yield { text: (await ai.generate({})).text + 'c' };
      }`;
      const { seen } = await watch(subject, code, { host });
      assert.deepEqual(seen, [{ text: 'a' }, { text: 'b' }, { text: 'bc' }]);
    });
  });
}
