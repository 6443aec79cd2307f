import type { FunctionSource, PatchbayError } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { builtIns } from './translate/built-ins.ts';

type FunctionBundle = NonNullable<FunctionSource['bundle']>;

const object = { type: 'object' } as const;
const packages = [{ name: 'shout', version: '1.2.3', integrity: 'sha512-AAAA' }];
const code = 'import { shout } from "shout";\nexport default ({ text }) => ({ text: shout(text) });';
const bundleOf = (module: string, more: Partial<FunctionBundle> = {}): FunctionBundle => ({
  module,
  mappings: '',
  source: 0,
  packages,
  ...more,
});

describe('a bundle', () => {
  let executor: DenoExecutor;
  beforeAll(async () => {
    executor = new DenoExecutor({ ...executorOptions, spares: 1 }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(() => executor.stop());

  const prepare = (bundle: FunctionBundle, source = code) =>
    executor.prepare({ code: source, input: object, output: object, bundle }, testContext());

  async function run(bundle: FunctionBundle, source = code): Promise<unknown> {
    const { artifact } = await prepare(bundle, source);
    const outcome = await executor.execute(
      {
        executionId: 'execution_1',
        functionId: 'function_1',
        functionVersion: 1,
        artifact,
        input: '{"text":"hello"}',
        limits: { wallMs: 10_000, outputBytes: 100_000, logBytes: 1000 },
      },
      testContext(),
    );
    return outcome.status === 'completed' ? JSON.parse(outcome.output) : outcome.error;
  }

  async function faultsOf(bundle: FunctionBundle, source = code) {
    const error: unknown = await prepare(bundle, source).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return (error as PatchbayError | undefined)?.errors.map((fault) => {
      const { pointer, code: kind, line } = fault as { pointer: string; code: string; line?: number };
      return [pointer, kind, line];
    });
  }

  it('runs in place of the code', async () => {
    expect(await run(bundleOf('export default ({ text }) => ({ text: text + "!" });'))).toEqual({ text: 'hello!' });
  });

  it.each(builtIns)('%s can be imported', async (name) => {
    const module = `import * as all from '${name}';\nexport default () => ({ names: Object.keys(all).length });`;
    expect(await run(bundleOf(module))).toEqual({ names: expect.any(Number) });
  });

  it('built-ins compute', async () => {
    const module = `
      import { Buffer } from 'node:buffer';
      import { createHash, randomUUID } from 'node:crypto';
      import { EventEmitter, once } from 'node:events';
      import { join } from 'node:path';
      import { format, promisify } from 'node:util';
      import { pipeline } from 'node:stream/promises';
      import { Readable, Transform } from 'node:stream';
      import { setTimeout as sleep } from 'node:timers/promises';
      export default async ({ text }) => {
        const emitter = new EventEmitter();
        queueMicrotask(() => emitter.emit('done', 7));
        const [seven] = await once(emitter, 'done');
        let piped = '';
        const loud = new Transform({ transform: (chunk, _, next) => next(null, String(chunk).toUpperCase()) });
        await pipeline(Readable.from([text]), loud, async (chunks) => { for await (const chunk of chunks) piped += chunk; });
        await sleep(1);
        return {
          base64: Buffer.from(text).toString('base64'),
          hash: createHash('sha256').update(text).digest('hex').slice(0, 8),
          uuid: randomUUID().length,
          seven,
          path: join('a', '..', 'b'),
          text: format('%s-%d', text, 1),
          gone: typeof Deno + typeof process,
          piped,
        };
      };`;
    expect(await run(bundleOf(module))).toEqual({
      base64: 'aGVsbG8=',
      hash: '2cf24dba',
      uuid: 36,
      seven: 7,
      path: 'b',
      text: 'hello-1',
      gone: 'undefinedundefined',
      piped: 'HELLO',
    });
  });

  it.each([
    ['import "node:fs"; export default () => ({});', 'import_not_allowed', 1],
    ['import "fs"; export default () => ({});', 'import_not_allowed', 1],
    ['import "util"; export default () => ({});', 'import_not_allowed', 1],
    ['\nimport { spawn } from "node:child_process"; export default () => spawn;', 'import_not_allowed', 2],
    ['export { default } from "node:net";', 'import_not_allowed', 1],
    ['export * from "https://esm.sh/zod";', 'import_not_allowed', 1],
    ['import x from "npm:zod"; export default () => x;', 'import_not_allowed', 1],
    ['import x from "./other.js"; export default () => x;', 'import_not_allowed', 1],
    ['export default async () => await import("node:fs");', 'import_not_allowed', 1],
    ['export default async ({ text }) => await import(text);', 'import_not_allowed', 1],
    ['export default async () => await import(`node:fs`);', 'import_not_allowed', 1],
    ['export const main = () => ({});', 'no_function', undefined],
    ['const a = ;\nexport default () => ({ a });', 'syntax', 1],
  ])('is refused as %s', async (module, kind, line) => {
    expect(await faultsOf(bundleOf(module))).toEqual([['/bundle/module', kind, line]]);
  });

  it('is accepted with a dynamic import of a built-in', async () => {
    const module = 'export default async () => ({ text: (await import("node:path")).join("a", "b") });';
    expect(await run(bundleOf(module))).toEqual({ text: 'a/b' });
  });

  it('needs code that parses, whatever that imports', async () => {
    const module = 'export default () => ({});';
    expect(await faultsOf(bundleOf(module), 'import x from "y";\nexport default () => (')).toEqual([
      ['/code', 'syntax', 2],
    ]);
    expect(await faultsOf(bundleOf(module), 'import x from "./y";\nexport default () => x;')).toEqual([
      ['/code', 'import_not_allowed', 1],
    ]);
    expect(await faultsOf(bundleOf(module), 'import x from "node:fs";\nexport default () => x;')).toEqual([
      ['/code', 'import_not_allowed', 1],
    ]);
    expect(await faultsOf(bundleOf(module), 'import { join } from "path";\nexport default () => join("a");')).toBe(
      undefined,
    );
  });

  it('leads errors back to the line of the code, and not into packages', async () => {
    const source =
      'import { shout } from "shout";\n\nexport default function loud({ text }) {\n  return shout(text);\n}';
    const { outputFiles } = await build({
      stdin: { contents: source, sourcefile: 'code.js', loader: 'js' },
      bundle: true,
      write: false,
      outfile: 'function.js',
      format: 'esm',
      minifyWhitespace: true,
      sourcemap: 'external',
      plugins: [
        {
          name: 'shout',
          setup: (building) => {
            building.onResolve({ filter: /^shout$/ }, () => ({ path: 'shout', namespace: 'shout' }));
            building.onLoad({ filter: /.*/, namespace: 'shout' }, () => ({
              contents: 'export function shout() { throw new RangeError("too loud"); }',
            }));
          },
        },
      ],
    });
    const [map, module] = ['.map', '.js'].map((end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '');
    const { mappings, sources } = JSON.parse(map ?? '') as { mappings: string; sources: string[] };
    const bundle = bundleOf(module ?? '', { mappings, source: sources.indexOf('code.js') });
    expect(await run(bundle, source)).toEqual({
      reason: 'function_threw',
      message: 'RangeError: too loud',
      stack: 'at loud (function.js:4:10)',
    });
    const withoutMap = await run(bundleOf(module ?? ''), source);
    expect(withoutMap).toEqual({ reason: 'function_threw', message: 'RangeError: too loud' });
  });

  it('is refused with mappings that are none', async () => {
    const bundle = bundleOf('export default () => ({});', { mappings: 'AAAA;!!' });
    expect(await faultsOf(bundle)).toEqual([['/bundle/sourceMap/mappings', 'syntax', undefined]]);
  });

  it('can be a generator', async () => {
    const module = 'export default async function* ({ text }) { yield { text: "" }; return { text: text + "!" }; }';
    expect(await run(bundleOf(module))).toEqual({ text: 'hello!' });
  });

  it('of 5 MiB runs', async () => {
    const module = `const text = "${'x'.repeat(5_200_000)}";\nexport default () => ({ length: text.length });`;
    expect(await run(bundleOf(module))).toEqual({ length: 5_200_000 });
  });
});
