import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { hostServing, outputOf, runWithHost } from './fixtures/run-with-host.ts';

// Code that changes the built-in objects. It may break its own call, and nothing else.
const patches: readonly string[] = [
  'JSON.stringify = () => "forged"; JSON.parse = () => ({ n: "forged" });',
  'Promise.prototype.then = function () { return { forged: true }; };',
  'Promise.prototype.then = function (resolve) { resolve({ n: "forged" }); };',
  'Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("trap"); } });',
  'Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("trap"); } });',
  'globalThis.Promise = class { constructor() { throw new Error("trap"); } };',
  'Array.prototype.then = function (resolve) { resolve("forged"); }; Object.prototype.then = undefined;',
  'for (const name of Object.getOwnPropertyNames(Array.prototype)) try { Array.prototype[name] = () => "forged"; } catch {}',
  'for (const name of Object.getOwnPropertyNames(String.prototype)) try { String.prototype[name] = () => "forged"; } catch {}',
  'for (const type of [DataView, Uint8Array, Object.getPrototypeOf(Uint8Array), ArrayBuffer]) for (const name of Object.getOwnPropertyNames(type.prototype)) try { Object.defineProperty(type.prototype, name, { value: () => 0 }); } catch {}',
  'TextEncoder.prototype.encode = () => new Uint8Array(3); TextDecoder.prototype.decode = () => "forged";',
  'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => () => "forged";',
  'Reflect.apply = () => "forged"; Reflect.defineProperty = () => true; Object.defineProperty = () => {};',
  'Object.defineProperty(Object.prototype, "1", { get: () => "forged", set() { throw new Error("trap"); } });',
  'for (const name of ["resolve", "reject", "isOver", "number", "payload", "type"]) Object.defineProperty(Object.prototype, name, { get: () => "forged", set() {} });',
  'Error.prepareStackTrace = () => { throw new Error("trap"); }; Error.captureStackTrace = undefined;',
  'for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name]; } catch {}',
];

const ownFailures = ['function_threw', 'never_settled', 'output_unserializable', 'exited_early'];

describe('code that works against its calls', () => {
  let executor: DenoExecutor;
  beforeAll(async () => {
    executor = new DenoExecutor({ ...executorOptions, maxConcurrent: 2, queueTimeoutMs: 60_000 }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(() => executor.stop());

  it.each(patches)('spoils nothing but its own: %s', async (patch) => {
    const calls: string[] = [];
    const host = hostServing(async (name, given) => {
      calls.push(`${name} ${given}`);
      return '{"n":7}';
    });
    const code = `export default async (_, { ai }) => { ${patch}; const { n } = await ai.embed({ n: 1 }); return { n }; }`;
    const outcome = await runWithHost(executor, code, { host, wallMs: 5_000 });
    expect(calls.length).toBeLessThanOrEqual(1);
    expect(calls.filter((call) => call !== 'ai.embed {"n":1}')).toEqual([]);
    const result = outcome.status === 'completed' ? outcome.output : outcome.error.reason;
    expect(['{"n":7}', '{"n":"forged"}', ...ownFailures]).toContain(result);
  });

  it('code cannot observe the connection', async () => {
    const code = `export default async (_, { ai }) => {
      const seen = [];
      const refused = [];
      const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
      const watch = (object, names) => {
        for (const name of names) {
          const { get, set, value, ...rest } = getOwnPropertyDescriptor(object, name);
          const note = (given) => { seen[seen.length] = [name, given.length]; };
          const spy = typeof value === 'function'
            ? { value(...given) { note(given); return apply(value, this, given); } }
            : { get() { note([]); return apply(get, this, []); } };
          try {
            if (!defineProperty(object, name, { ...rest, ...spy })) refused[refused.length] = name;
          } catch { refused[refused.length] = name; }
        }
      };
      watch(Object.getPrototypeOf(Uint8Array.prototype), ['buffer', 'byteOffset', 'byteLength', 'length', 'set', 'subarray', 'slice']);
      watch(DataView.prototype, ['getUint32', 'setUint32', 'getUint8', 'buffer']);
      watch(ArrayBuffer.prototype, ['slice', 'resize', 'byteLength']);
      watch(Function.prototype, ['apply', 'bind', 'call']);
      watch(TextEncoder.prototype, ['encode', 'encodeInto']);
      watch(TextDecoder.prototype, ['decode']);
      watch(Map.prototype, ['get', 'set', 'delete']);
      await Promise.all([ai.embed({}), ai.embed({})]);
      return { seen, refused };
    }`;
    const outcome = await runWithHost(executor, code, { host: hostServing(async () => '{}') });
    const locked = ['buffer', 'byteOffset', 'byteLength', 'length', 'apply', 'bind', 'call'];
    expect(outputOf(outcome)).toEqual({ seen: [], refused: locked });
  });

  it('code may define methods of the locked names on its objects', async () => {
    const code = `export default () => {
      const own = () => 1;
      own.call = () => 2;
      class Bound extends Function { static bind() { return 3; } }
      const { call } = Function.prototype;
      return { own: own.call(), bound: Bound.bind(), usual: call.call(function () { return this.n; }, { n: 4 }) };
    }`;
    expect(outputOf(await runWithHost(executor, code))).toEqual({ own: 2, bound: 3, usual: 4 });
  });
});

describe('a process that serves several runs', () => {
  let executor: DenoExecutor;
  beforeAll(async () => {
    const options = { isolation: 'reuse', spares: 1, maxConcurrent: 1, queueTimeoutMs: 60_000 } as const;
    executor = new DenoExecutor({ ...executorOptions, ...options }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(() => executor.stop());

  it('each run calls its own host', async () => {
    const code =
      'let runs = 0; export default async (_, { ai, executionId }) => ({ runs: ++runs, executionId, ...await ai.embed({}) });';
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      const host = hostServing(async () => JSON.stringify({ host: id }));
      expect(outputOf(await runWithHost(executor, code, { host, id }))).toEqual({
        runs: index + 1,
        executionId: id,
        host: id,
      });
    }
  });

  it('a process with a pending call is not reused, and no later run gets its result', async () => {
    const code = `let runs = 0, kept;
      export default async (_, { ai, executionId }) => {
        runs++;
        if (kept) return { runs, late: await kept.embed({ from: executionId }).then(() => 'served', (e) => e.code) };
        kept = ai;
        void ai.embed({ from: executionId }).catch(() => {});
        return { runs };
      }`;
    const served: string[] = [];
    const hostOf = (id: string) =>
      hostServing(async (_, given) => {
        served.push(`${id} ${given}`);
        return await new Promise<string>(() => {});
      });
    expect(outputOf(await runWithHost(executor, code, { host: hostOf('a'), id: 'a' }))).toEqual({ runs: 1 });
    expect(outputOf(await runWithHost(executor, code, { host: hostOf('b'), id: 'b' }))).toEqual({ runs: 1 });
    expect(served).toEqual(['a {"from":"a"}', 'b {"from":"b"}']);
  });
});
