import assert from 'node:assert/strict';
import { type ExecutorSuite, failureOf } from './executor-under-test.ts';

/** Anything can be thrown, and it is always the function's own failure. */
export function throwsSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('throwing', () => {
    it('the error contains the thrown value and its position', async (subject) => {
      const code =
        'function fail() {\n  throw new TypeError("bad");\n}\nasync function main() {\n  await 1;\n  fail();\n}';
      const error = failureOf(await subject.run(code), 'function_threw');
      assert.equal(error.message, 'TypeError: bad');
      assert.equal(error.stack, 'at fail (function.js:2:9)\nat main (function.js:6:3)');
    });

    it('frames are the author’s only, wherever the function stands', async (subject) => {
      const codes: Readonly<Record<string, string>> = {
        'const x = 1; (input) => input.missing.member': 'at default (function.js:1:39)',
        '\n\n   (function () {\n  null.x;\n})': 'at default (function.js:4:8)',
        'async function () {\n  null.x;\n}': 'at default (function.js:2:8)',
      };
      for (const [code, stack] of Object.entries(codes)) {
        assert.equal(failureOf(await subject.run(code), 'function_threw').stack, stack, code);
      }
    });

    it('whatever is thrown', async (subject) => {
      const messages: Readonly<Record<string, string>> = {
        null: 'null',
        undefined: 'undefined',
        '"text"': 'text',
        '42n': '42',
        'Symbol("s")': 'Symbol(s)',
        'Object.freeze(new Error("frozen"))': 'frozen',
        'new DOMException("gone", "AbortError")': 'AbortError: gone',
        '{ code: 1 }': '{ code: 1 }',
        'Object.assign(new Error("text"), { name: "Own" })': 'Own: text',
        'new Error("a\\n\\u001b[31mb\\u001b[0m\\u0007\\u2028c\\u202ed")': 'a b cd',
      };
      for (const [value, message] of Object.entries(messages)) {
        assert.equal(failureOf(await subject.run(`() => { throw ${value}; }`), 'function_threw').message, message);
      }
    });

    it('traps and giants are thrown in vain', async (subject) => {
      for (const value of [
        '{ get message() { throw 1; }, get stack() { throw 2; }, get name() { throw 3; } }',
        'new Proxy({}, { get() { throw new Error("trap"); }, ownKeys() { throw 1; }, getPrototypeOf() { throw 1; } })',
        'new Error("x".repeat(10_000_000))',
        'Object.assign(new Error("x"), { stack: "y".repeat(10_000_000) })',
        'Object.assign(new Error("x"), { name: { toString: null }, message: 5, stack: [] })',
        '{ toString: null, [Symbol.toPrimitive]: 1 }',
        '() => {}',
        'new Error("")',
      ]) {
        const outcome = await subject.run(`() => { throw ${value}; }`);
        failureOf(outcome, 'function_threw');
        assert.ok(Buffer.byteLength(JSON.stringify(outcome)) < 8192, value);
      }
    });

    it('an unhandled rejection fails the run', async (subject) => {
      const endless = 'return new Promise(() => { setInterval(() => {}, 1000); })';
      for (const [code, message] of [
        [`() => { setTimeout(() => { throw new Error('late'); }); ${endless}; }`, 'late'],
        [`() => { Promise.reject(new Error('unheard')); ${endless}; }`, 'unheard'],
        [`() => { queueMicrotask(() => { throw new Error('soon'); }); ${endless}; }`, 'soon'],
      ] as const) {
        assert.equal(failureOf(await subject.run(code), 'function_threw').message, message);
      }
    });

    it('a stack overflow is an error like any other', async (subject) => {
      const error = failureOf(await subject.run('function run() { return run(); }'), 'function_threw');
      assert.match(error.message, /^RangeError/u);
    });

    it('code that throws while it is loaded does not load', async (subject) => {
      const code = 'const x = 1;\nconst y = x.a.b;\nexport default () => ({});';
      const error = failureOf(await subject.run(code), 'load_failed');
      assert.match(error.message, /^TypeError/u);
      assert.equal(error.stack, 'at function.js:2:15');
    });
  });
}
