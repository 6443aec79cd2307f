import assert from 'node:assert/strict';
import type { JsonObject } from '@patchbay/core/plugin';
import { type ExecutorSuite, failureOf, outputOf } from './executor-under-test.ts';

const echo = '(input) => input';

/** Inputs and outputs. */
export function dataSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('data', () => {
    it('every kind of JSON value comes back as it went in', async (subject) => {
      const input: JsonObject = {
        text: 'é 漢 😀 \u0000 \u001f \u2028 " \\ </script>',
        '': [],
        nested: { list: [1, -1.5e-7, 9_007_199_254_740_991, true, false, null, [[{}]]] },
        'a key with spaces and 😀': 'x',
      };
      assert.deepEqual(await subject.output(echo, { input }), input);
    });

    it('a parameter default applies to absent input', async (subject) => {
      const code = 'function run({ text, size = 5, ...rest }) { return { text, size, rest }; }';
      const input = { text: 'a', more: 1 };
      assert.deepEqual(await subject.output(code, { input }), { text: 'a', size: 5, rest: { more: 1 } });
    });

    it('the code is called with the input and a context', async (subject) => {
      const code = '(...values) => ({ count: values.length, id: values[1].executionId })';
      const output = await subject.output(code, { executionId: 'execution_1' });
      assert.deepEqual(output, { count: 2, id: 'execution_1' });
    });

    it('a promise, a thenable and a plain object are outputs', async (subject) => {
      assert.deepEqual(await subject.output('async () => ({ a: 1 })'), { a: 1 });
      assert.deepEqual(await subject.output('() => ({ then(resolve) { resolve({ a: 2 }); } })'), { a: 2 });
      assert.deepEqual(await subject.output('() => ({ toJSON() { return { a: 3 }; } })'), { a: 3 });
    });

    it('__proto__ and its kind are plain data', async (subject) => {
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
      const input = JSON.parse(text) as JsonObject;
      const outcome = await subject.run(echo, { input });
      assert.equal(outcome.status === 'completed' && outcome.output, text);
      assert.equal('polluted' in {}, false);
      const code = '(input) => ({ own: Object.hasOwn(input, "__proto__"), polluted: ({}).polluted === 1 })';
      assert.deepEqual(await subject.output(code, { input }), { own: true, polluted: false });
    });

    it('a lone surrogate in the output is still valid JSON', async (subject) => {
      const outcome = await subject.run('() => ({ text: "\\ud800", "\\udc00": 1 })');
      assert.deepEqual(outputOf(outcome), { text: '\ud800', '\udc00': 1 });
      assert.ok(outcome.status === 'completed' && outcome.output.isWellFormed());
    });

    it('output follows the rules of JSON.stringify', async (subject) => {
      const code = '() => ({ zero: -0, date: new Date(0), map: new Map([[1, 2]]), gone: undefined, big: 2 ** 53 + 2 })';
      const output = { zero: 0, date: '1970-01-01T00:00:00.000Z', map: {}, big: 9_007_199_254_740_994 };
      assert.deepEqual(await subject.output(code), output);
    });

    it('an output that JSON would change or lose is refused', async (subject) => {
      for (const value of [
        'undefined',
        'null',
        '1',
        '"text"',
        '[1]',
        '() => {}',
        'Symbol("s")',
        '1n',
        'new Date(0)',
        '{ a: NaN }',
        '{ a: [Infinity] }',
        '{ a: -Infinity }',
        '{ a: 1n }',
        '{ a: () => {} }',
        '{ a: Symbol("s") }',
        '{ a: [undefined] }',
        '(() => { const o = {}; o.self = o; return o; })()',
        '{ get a() { throw new Error("trap"); } }',
        '{ toJSON() { return undefined; } }',
        '{ toJSON() { return []; } }',
        '{ get a() { throw { get message() { throw 1; } }; } }',
        '(() => { let o = {}; for (let i = 0; i < 100; i++) o = { o }; return o; })()',
        '(() => { let o = []; for (let i = 0; i < 1e6; i++) o = [o]; return { o }; })()',
      ]) {
        failureOf(await subject.run(`() => (${value})`), 'output_unserializable');
      }
    });

    it('an output of 64 levels is taken', async (subject) => {
      const code = '() => { let o = {}; for (let i = 0; i < 63; i++) o = { o }; return o; }';
      assert.equal(typeof (await subject.output(code)), 'object');
    });

    it('a megabyte goes in and out', async (subject) => {
      const input = { text: 'é'.repeat(500_000) };
      const output = await subject.output(echo, { input, limits: { outputBytes: 1_048_576 } });
      assert.deepEqual(output, input);
    });

    it('the output limit counts bytes, to the byte', async (subject) => {
      const code = '() => ({ a: "é".repeat(500) })';
      const exact = '{"a":""}'.length + 1000;
      assert.equal((await subject.run(code, { limits: { outputBytes: exact } })).status, 'completed');
      failureOf(await subject.run(code, { limits: { outputBytes: exact - 1 } }), 'output_too_large');
      failureOf(await subject.run('() => ({ a: "x".repeat(50_000_000) })'), 'output_too_large');
    });
  });
}
