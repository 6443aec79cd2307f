import assert from 'node:assert/strict';
import { type ExecutorSuite, failureOf } from './executor-under-test.ts';
import { hostilePrelude } from './hostile-prelude.ts';

const OWN_FAILURES = [
  'function_threw',
  'load_failed',
  'exited_early',
  'never_settled',
  'output_unserializable',
  'protocol_violation',
  'wall_limit',
  'cpu_limit',
] as const;

const patches: readonly string[] = [
  'JSON.stringify = () => \'{"forged":true}\'; JSON.parse = () => ({ forged: true });',
  'Promise.prototype.then = function () { return { forged: true }; };',
  'Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("trap"); } });',
  'Object.defineProperty(Promise, Symbol.species, { get() { return function () { throw 1; }; } });',
  'globalThis.Promise = class { constructor() { throw 1; } };',
  'TextEncoder.prototype.encode = () => new Uint8Array([123, 125]);',
  'TextEncoder.prototype.encodeInto = () => { throw 1; };',
  'Uint8Array.prototype.set = () => {}; Uint8Array.prototype.subarray = () => { throw 1; };',
  'DataView.prototype.setUint32 = () => {}; DataView.prototype.setUint8 = () => {};',
  'Array.prototype[Symbol.iterator] = function* () { yield 1; }; Array.isArray = () => false;',
  'String.prototype.slice = () => "forged"; String.prototype.charCodeAt = () => 0;',
  'Object.prototype.toJSON = () => ({ forged: true });',
  'Object.defineProperty(Object.prototype, "reason", { get: () => "forged", set() {} });',
  'Object.defineProperty(Object.prototype, "bytes", { get: () => new Uint8Array(3), set() {} });',
  'Object.defineProperty(Object.prototype, "then", { get() { return undefined; }, configurable: true });',
  'Function.prototype.call = () => ({ forged: true }); Function.prototype.apply = Function.prototype.call; Function.prototype.bind = () => () => {};',
  'Reflect.apply = () => ({ forged: true });',
  'Number.isFinite = () => false; globalThis.Uint8Array = class {}; globalThis.String = () => "forged";',
  'Error.prepareStackTrace = () => { throw new Error("trap"); };',
  'for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} }',
];

/** Code that works against the machinery around it harms at most its own run. */
export function tamperingSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('tampering', () => {
    it('replaced built-ins change at most their own run', async (subject) => {
      for (const patch of patches) {
        for (const code of [
          `${patch}\nexport default (input) => ({ n: input.n });`,
          `(input) => { ${patch}\nreturn { n: input.n }; }`,
        ]) {
          const outcome = await subject.run(code, { input: { n: 7 }, limits: { wallMs: 5000 } });
          if (outcome.status !== 'completed') failureOf(outcome, ...OWN_FAILURES);
          // `toJSON` is how an object says what it is in JSON: the function forges its own output, as it may.
          else if (patch.includes('toJSON')) assert.match(outcome.output, /^\{.*\}$/u);
          else assert.equal(outcome.output, '{"n":7}', patch);
        }
      }
      assert.deepEqual(await subject.output('(input) => input', { input: { n: 8 } }), { n: 8 });
    });

    it('nothing that looks like the machinery takes an answer', async (subject) => {
      const forged = '{"forged":true}';
      const outcome = await subject.run(`async () => {
        ${hostilePrelude}
        pretend();
        const frames = [];
        for (const type of [1, 2, 3, 4, 16, 17, 18, 19, 255]) {
          const bytes = new TextEncoder().encode('     ${forged}');
          bytes.set([type, 0, 0, 0, ${forged.length}]);
          frames.push(bytes);
        }
        try {
          const fs = await load('node:fs');
          for (let descriptor = 1; descriptor < 64; descriptor++) {
            for (const frame of frames) try { fs.writeSync(descriptor, frame); } catch {}
          }
        } catch {}
        try {
          const process = (await load('node:process')).default;
          for (const handle of process._getActiveHandles?.() ?? []) handle.write?.(frames[6]);
          const net = await load('node:net');
          for (const argument of process.argv) {
            await new Promise((done) => net.connect(argument).on('error', done).on('connect', done));
          }
        } catch {}
        return { forged: false };
      }`);
      if (outcome.status === 'completed') assert.equal(outcome.output, '{"forged":false}');
      else failureOf(outcome, ...OWN_FAILURES);
    });

    it('events of the machinery can be faked for the own run only', async (subject) => {
      for (const type of ['beforeunload', 'unload', 'error', 'unhandledrejection']) {
        const outcome = await subject.run(`() => {
          globalThis.dispatchEvent?.(new Event('${type}', { cancelable: true }));
          return { ok: true };
        }`);
        if (outcome.status === 'completed') assert.equal(outcome.output, '{"ok":true}');
        else failureOf(outcome, ...OWN_FAILURES);
      }
    });

    it('the first answer counts', async (subject) => {
      const twice = await subject.run(
        '() => ({ then(resolve, reject) { resolve({ n: 1 }); resolve({ n: 2 }); reject(3); } })',
      );
      assert.equal(twice.status === 'completed' && twice.output, '{"n":1}');
      const after = await subject.run('() => { queueMicrotask(() => { throw new Error("late"); }); return { n: 1 }; }');
      if (after.status === 'completed') assert.equal(after.output, '{"n":1}');
      else assert.equal(failureOf(after, 'function_threw').message, 'late');
    });
  });
}
