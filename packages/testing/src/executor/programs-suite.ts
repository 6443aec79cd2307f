import assert from 'node:assert/strict';
import type { ExecutionOutcome, HostCalls } from '@patchbay/core/plugin';
import {
  assertRefused,
  type ExecutorSuite,
  failureOf,
  outputOf,
  type Refused,
  type RunOptions,
  type Subject,
} from './executor-under-test.ts';

const declarations = `interface Functions {
  double(input: { n: number }): Promise<{ n: number }>;
  "say hello"(input?: object): Promise<{ text: string }>;
}
`;

const host: HostCalls = {
  maxCalls: 10,
  secrets: {},
  async call(name, given) {
    assert.equal(name, 'functions.call');
    const { function: called, input } = JSON.parse(given) as { function: string; input: { n: number } };
    return JSON.stringify(called === 'double' ? { n: input.n * 2 } : { text: 'hello' });
  },
};

async function run(subject: Subject, code: string, options: RunOptions = {}): Promise<ExecutionOutcome> {
  return await subject.execute(await subject.prepareProgram(code, declarations), { host, ...options });
}

const refused: Refused = [
  ['const n: number = 1;\nreturn functions.dubble({ n });', 2, 18, 'ts2551'],
  ['return functions.double({ n: "1" });', 1, 27, 'ts2322'],
  ['const { n } = await functions.double({ n: 1 });\n\nreturn n.length;', 3, 10, 'ts2339'],
  ['return functions.double({ n: 1 }).n;', 1, 35, 'ts2339'],
  ['return context;', 1, 8, 'ts2304'],
  ['return ai.chat({});', 1, 8, 'ts2304'],
  ['return fetch("https://a.test");', 1, 8, 'ts2304'],
];

/** Programs: bodies that call functions, checked against declarations of these. */
export function programsSuite({ runner, it, options }: ExecutorSuite): void {
  if (!options.capabilities?.includes('programs')) return;
  runner.describe('programs', () => {
    it('call functions, log, and return a value of any kind', async (subject) => {
      const code = `interface Pair { a: number }
        const pair: Pair = { a: (await functions.double({ n: 21 })).n };
        log.info('seen', pair);
        return [pair.a, (await functions["say hello"]()).text];`;
      const outcome = await run(subject, code);
      assert.deepEqual(outputOf(outcome), { value: [42, 'hello'] });
      assert.deepEqual(
        outcome.logs.map(({ message }) => message.includes('seen')),
        [true],
      );
      assert.deepEqual(outputOf(await run(subject, 'log.info("nothing")')), {});
      assert.deepEqual(outputOf(await run(subject, 'return null // at the end')), { value: null });
    });

    it('need no annotations to collect what functions return', async (subject) => {
      const code = `const all = [];
        let last = null;
        for (const n of [1, 2]) {
          last = await functions.double({ n });
          all.push(last.n);
        }
        const add = (a, b) => a + b;
        return { all, last, sum: all.reduce(add, 0), second: { a: 1, b: 2 }["b" as string] };`;
      const value = { all: [2, 4], last: { n: 4 }, sum: 6, second: 2 };
      assert.deepEqual(outputOf(await run(subject, code)), { value });
    });

    it('reach only the functions and the log of the context', async (subject) => {
      const names = ['ai', 'fetch', 'secrets', 'context', 'executionId', 'input', 'arguments', 'value'];
      const code = `return [${names.map((name) => `(() => { try { return typeof (${name} as any); } catch { return 'none' } })()`).join(', ')}];`;
      // The type checker would refuse these: what is there at run time counts.
      const unchecked = code.replaceAll('(() =>', '\n// @ts-ignore\n(() =>');
      assert.deepEqual(outputOf(await run(subject, unchecked)), { value: names.map(() => 'undefined') });
    });

    it('are refused with the line and column of each error of type', async (subject) => {
      await assertRefused(refused, (code) => subject.programFaults(code, declarations));
    });

    it('are refused where their syntax is wrong, or is more than a body', async (subject) => {
      for (const [code, line] of [
        ['return 1;\nreturn (;', 2],
        ['const a = 1;\n}) }); const b = ({ c: ((() => {', 2],
        ['return 1;\n}', 2],
        ['/*', 1],
        ['import a from "node:fs";\nreturn a;', 1],
        ['\nexport default () => 1;', 2],
        ['return await import("node:fs");', 1],
      ] as const) {
        const [first] = await subject.programFaults(code, declarations);
        assert.equal(first?.line, line, `${code}: ${JSON.stringify(first)}`);
      }
    });

    it('a stack points to the line that the author wrote', async (subject) => {
      const code =
        'interface A { a: number }\nconst fail = (): never => {\n  throw new TypeError("no");\n};\nreturn fail();';
      const { message, stack = '' } = failureOf(await run(subject, code), 'function_threw');
      assert.equal(message, 'TypeError: no');
      assert.match(stack, /:3:9/);
      assert.match(stack, /:5:8\)?$/);
    });

    it('end at their limits', async (subject) => {
      const limits = { wallMs: 300, outputBytes: 1_000, logBytes: 1_000 };
      failureOf(await run(subject, 'for (;;);', { limits }), 'wall_limit');
      failureOf(await run(subject, 'await new Promise(() => {});', { limits }), 'never_settled', 'wall_limit');
      const patient = { ...limits, wallMs: 15_000 };
      failureOf(await run(subject, 'return "x".repeat(2_000);', { limits: patient }), 'output_too_large');
      const calls = 'for (let n = 0; n < 11; n++) await functions.double({ n });';
      failureOf(await run(subject, calls, { limits: patient }), 'call_limit');
    });
  });
}
