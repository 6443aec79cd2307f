import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PatchbayError } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

const files: Readonly<Record<string, string>> = {
  'shout/package.json':
    '{"name":"shout","version":"1.2.3","type":"module","exports":{".":{"types":"./index.d.ts","default":"./index.js"},"./twice":"./twice.js"}}',
  'shout/index.js':
    'import { mark } from "marks";\nexport const shout = (text) => {\n  if (text === "") throw new RangeError("nothing to shout");\n  return text.toUpperCase() + mark;\n};\nexport const unused = () => "not in the bundle";\n',
  'shout/index.d.ts':
    'export declare function shout(text: string): string;\nexport interface Volume { readonly decibel: number }\n',
  'shout/twice.js': 'export default (text) => text + text;\n',
  'shout/hidden.js': 'export default 1;\n',
  'marks/package.json': '{"name":"marks","version":"0.1.0","main":"main.js"}',
  'marks/main.js': 'exports.mark = process.env.NODE_ENV === "production" ? "!" : "?";\n',
  '@scope/old/package.json': '{"name":"@scope/old","version":"2.0.0"}',
  '@scope/old/index.js': 'module.exports = { add: (a, b) => a + b };\n',
  'needs-node/package.json': '{"name":"needs-node","version":"1.0.0"}',
  'needs-node/index.js': 'module.exports = require("fs");\n',
  'late/package.json': '{"name":"late","version":"1.0.0"}',
  'late/index.js': 'exports.load = async (name) => await import(name);\n',
  'tries/package.json': '{"name":"tries","version":"1.0.0","type":"module"}',
  'tries/index.js':
    'export const load = async () => { try { return await import("node:fs"); } catch { return 1; } };\n',
  'leaks/package.json': '{"name":"leaks","version":"1.0.0"}',
  'leaks/index.js': 'module.exports = "fine";\n',
  'huge/package.json': '{"name":"huge","version":"1.0.0"}',
  'huge/index.js': `module.exports = "${'x'.repeat(1_100_000)}";\n`,
};

const imports = {
  shout: '1.2.3',
  '@scope/old': '2.0.0',
  'needs-node': '1.0.0',
  leaks: '1.0.0',
  late: '1.0.0',
  tries: '1.0.0',
  huge: '1.0.0',
};

describe('imports of packages', () => {
  let directory = '';
  let executor: DenoExecutor;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'imports-'));
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(directory, 'node_modules', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    await writeFile(path.join(directory, 'secret.txt'), 'a secret of the host');
    const deeper = path.join(directory, 'config');
    await mkdir(deeper);
    executor = new DenoExecutor({ ...executorOptions, spares: 1, imports, directory: deeper }, silent);
    await executor.start(AbortSignal.timeout(60_000));
  });
  afterAll(async () => {
    await executor.stop();
    await rm(directory, { recursive: true });
  });

  const object = { type: 'object' } as const;
  const prepare = (code: string) => executor.prepare({ code, input: object, output: object }, testContext());

  async function run(code: string): Promise<unknown> {
    const { artifact } = await prepare(code);
    const outcome = await executor.execute(
      {
        executionId: 'execution_1',
        functionId: 'function_1',
        functionVersion: 1,
        artifact,
        input: '{"text":"hello"}',
        limits: { wallMs: 10_000, outputBytes: 10_000, logBytes: 1000 },
      },
      testContext(),
    );
    return outcome.status === 'completed' ? JSON.parse(outcome.output) : outcome.error;
  }

  async function faultsOf(code: string) {
    const error: unknown = await prepare(code).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(JSON.stringify(error) + String(error)).not.toContain(directory);
    return (error as PatchbayError | undefined)?.errors.map(({ code: fault, line, column }) => [fault, line, column]);
  }

  it('leave no folder of the machine in what is stored', async () => {
    const { artifact } = await prepare(
      "import old from '@scope/old';\nimport { shout } from 'shout';\nexport default ({ text }) => shout(String(old.add(1, 2)));",
    );
    expect(artifact).toContain('node_modules/@scope/old/index.js');
    expect(artifact).not.toContain(path.basename(directory));
    expect(artifact).not.toMatch(/\.\.\/|patchbay-|plugins\//);
  });

  it('imported code is part of the saved function', async () => {
    const js =
      'import { shout } from "shout";\nimport twice from "shout/twice";\nexport default ({ text }) => ({ text: twice(shout(text)) });';
    expect(await run(js)).toEqual({ text: 'HELLO!HELLO!' });
    expect((await prepare(js)).artifact).not.toContain('not in the bundle');
    const ts =
      'import old from "@scope/old";\nimport { shout, type Volume } from "shout";\nasync function main({ text }: { text: string }): Promise<Volume> {\n  return { decibel: old.add(shout(text).length, 1) };\n}';
    expect(await run(ts)).toEqual({ decibel: 7 });
  });

  it('lead errors back to the line of the author, and not into the package', async () => {
    const ts = [
      'import { shout } from "shout";',
      'enum Kind { None }',
      '',
      'export default function loud(): { text: string } {',
      '  const nothing: string = "";',
      '  return { text: shout(nothing) };',
      '}',
    ].join('\n');
    expect(await run(ts)).toEqual({
      reason: 'function_threw',
      message: 'RangeError: nothing to shout',
      stack: 'at loud (function.ts:6:18)',
    });
    expect(await run('import "shout";\n(async () => {\n  throw new Error("here");\n})')).toMatchObject({
      stack: 'at function.js:3:9',
    });
  });

  it('imports are checked with the types of the package', async () => {
    expect(
      await faultsOf(
        'import { shout } from "shout";\nexport default (): { text: string } => ({\n  text: shout(1),\n});',
      ),
    ).toEqual([['ts2345', 3, 15]]);
    expect(
      await faultsOf('import old from "@scope/old";\nexport default (): { n: number } => ({ n: old.add(1, 2) });'),
    ).toBeUndefined();
  });

  it.each([
    ['import fs from "node:fs";', 1, 1],
    ['import fs from "fs";', 1, 1],
    ['import { mark } from "marks";', 1, 1],
    ['import x from "https://esm.sh/x";', 1, 1],
    ['import x from "npm:shout@1.2.3";', 1, 1],
    ['import x from "../secret.txt";', 1, 1],
    ['import x from "/etc/passwd" with { type: "text" };', 1, 1],
    ['import x from "shout" with { type: "text" };', 1, 1],
    ['export * from "shout";', 1, 1],
    ['export { shout } from "shout";', 1, 1],
    ['let a;\nconst x = await import("shout");', 2, 17],
    ['import x from "shout/hidden.js";', 1, 15],
    ['import x from "leaks/../../secret.txt";', 1, 15],
    ['import { nothing } from "shout";\nconsole.log(nothing);', 1, 10],
    ['import "shout";\nrequire("shout");', 2, 9],
    ['import "shout";\nrequire("../secret.txt");', 2, 9],
  ])('refuses %s', async (text, line, column) => {
    expect(await faultsOf(`${text}\nexport default () => ({});`)).toEqual([['import_not_allowed', line, column]]);
  });

  it.each([
    ['needs-node', 'bundle'],
    ['late', 'bundle'],
    ['tries', 'bundle'],
    ['huge', 'too_large'],
  ])('refuses the package "%s", which cannot run here', async (name, code) => {
    const text = `import * as all from "${name}";\nexport default () => ({ all });`;
    expect(await faultsOf(text)).toEqual([[code, undefined, undefined]]);
  });

  it('opens no file that a comment names', async () => {
    const map = `file://${path.join(directory, 'secret.txt')}`;
    const code = `import { shout } from "shout";\nexport default () => ({ text: shout("a") });\n//# sourceMappingURL=${map}`;
    expect(await run(code)).toEqual({ text: 'A!' });
  });

  it('packages must be installed in the configured version', async () => {
    const start = (versions: Readonly<Record<string, string>>) =>
      new DenoExecutor({ ...executorOptions, imports: versions, directory }, silent).start(AbortSignal.timeout(60_000));
    await expect(start({ shout: '1.2.4' })).rejects.toMatchObject({
      code: 'plugin_start_failed',
      message: 'imports: the package "shout" has version 1.2.3, and 1.2.4 is configured',
    });
    await expect(start({ missing: '1.0.0' })).rejects.toThrow('is not installed');
    await expect(start({ '../secret': '1.0.0' })).rejects.toThrow('is no name of a package');
  });

  it('an executor without packages refuses imports', async () => {
    const closed = new DenoExecutor(executorOptions, silent);
    const code = 'import { shout } from "shout";\nexport default () => ({});';
    const saving = closed.prepare({ code, input: object, output: object }, testContext());
    await expect(saving).rejects.toMatchObject({ errors: [{ code: 'import_not_allowed', line: 1, column: 1 }] });
    await closed.stop();
  });
});
