import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startLocalRegistry } from './local-registry.ts';
import type { Tarball } from './pack-all.ts';

const kinds = ['provider', 'storage', 'executor', 'router'];

/** The steps of the plugin guide, verbatim: create one of each kind, install, test, check its types, build. */
export async function tryCreatePlugin(
  node: string,
  directory: string,
  tarballs: readonly Tarball[],
): Promise<readonly string[]> {
  const registry = await startLocalRegistry(tarballs);
  await mkdir(directory);
  const env = {
    ...process.env,
    PATH: dirname(node) + delimiter + process.env['PATH'],
    'npm_config_@patchbay:registry': registry.url,
    // A shared cache could have other packages under the same names and versions.
    npm_config_cache: join(directory, '..', 'npm-cache'),
  };
  const npm = (cwd: string, ...args: string[]) => promisify(execFile)('npm', args, { cwd, env });
  try {
    const problems: string[] = [];
    for (const kind of kinds) {
      const folder = join(directory, `patchbay-${kind}-acme`);
      try {
        await npm(directory, 'create', '--yes', '@patchbay/plugin', kind, 'acme');
        await npm(folder, 'install', '--no-audit', '--no-fund');
        const { stdout } = await npm(folder, 'test');
        if (!/^\W+pass [1-9]\d*$/m.test(stdout)) problems.push(`a new ${kind} has no tests: ${stdout.slice(-500)}`);
        await npm(folder, 'run', 'check');
        await npm(folder, 'run', 'build');
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
        problems.push(`a new ${kind}: ${String(error)}\n${stdout.slice(-2_000)}${stderr.slice(-1_000)}`);
      }
    }
    return problems;
  } finally {
    await registry.stop();
  }
}
