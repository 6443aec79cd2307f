import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// `types/usage.ts`, compiled against the declarations as they are published, in a separate project.

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const usage = join(root, 'types', 'usage.ts');
const compilerOf = (name: string): string => join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'tsc');
// The oldest and the newest; at full size, the one between them, too.
const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';
const compilers: readonly (readonly [string, string])[] = [
  ['5.9', 'typescript-5'],
  ...(isFull ? [['6.0', 'typescript-6'] as const] : []),
  ['7.0', 'typescript'],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-client-types-'));
  const modules = join(folder, 'node_modules');
  const client = join(modules, '@patchbay', 'client');
  // With the types of browsers and without those of Node.
  const config = {
    extends: join(root, '..', '..', 'tsconfig.base.json'),
    compilerOptions: {
      rootDir: join(root, 'src'),
      outDir: join(client, 'dist'),
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: [],
      composite: false,
      incremental: false,
      declarationMap: false,
      emitDeclarationOnly: true,
    },
    files: ['index.ts', 'testing/mock-client.ts'].map((file) => join(root, 'src', file)),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await run(process.execPath, [compilerOf('typescript'), '-p', folder]);
  const { publishConfig, ...manifest } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(client, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }));
  for (const name of ['zod', 'valibot', '@valibot/to-json-schema', 'arktype', '@sinclair/typebox', 'typebox']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name), 'dir');
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(compilers)('TypeScript %s', (version, name) => {
  it('accepts intended uses and refuses others, in a project as `tsc --init` creates it', async () => {
    const compiler = compilerOf(name);
    expect((await run(process.execPath, [compiler, '--version'])).stdout).toContain(version);
    const project = join(folder, version);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
    await copyFile(usage, join(project, 'usage.ts'));
    await run(process.execPath, [compiler, '--init'], { cwd: project });
    const strictest = ['noImplicitOverride', 'noImplicitReturns', 'noFallthroughCasesInSwitch', 'noUnusedParameters'];
    const more = ['noUncheckedIndexedAccess', 'exactOptionalPropertyTypes', ...strictest].map((flag) => `--${flag}`);
    const compiled = run(process.execPath, [compiler, '-p', project, '--noEmit', ...more]);
    expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe('');
  });
});
