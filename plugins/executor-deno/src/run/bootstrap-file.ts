import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PatchbayError } from '@patchbay/core/plugin';
import { execa } from 'execa';

/** The bootstrap as it is written: in many modules, and not translated by the build, so the same in `src` and in `dist`. */
export const bootstrapModules = fileURLToPath(new URL('../bootstrap/main.js', import.meta.url));

// `.ts` while developing, `.js` where the package was built.
const bundler = fileURLToPath(new URL(`../bundle/bundle-bootstrap${path.extname(import.meta.url)}`, import.meta.url));

/**
 * Write the bootstrap as one module, in a folder of its own.
 *
 * Deno takes a fifth less CPU to start with one small module than with fifteen, and there is nothing left that code could
 * import from it.
 *
 * @returns Its path; every user may read it.
 * @throws PatchbayError `plugin_start_failed` where esbuild does not run.
 */
export async function writeBootstrap(folder: string, signal: AbortSignal): Promise<string> {
  const file = path.join(folder, 'bootstrap', 'main.js');
  const { failed, cause } = await execa(process.execPath, ['--no-warnings', bundler, bootstrapModules, file], {
    env: {},
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: signal,
    maxBuffer: 65_536,
  });
  if (failed) {
    const message = 'esbuild does not run: install @patchbay/executor-deno with its optional dependencies';
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
  // Whatever the umask of the host is.
  await chmod(path.dirname(file), 0o755);
  await chmod(file, 0o444);
  return file;
}
