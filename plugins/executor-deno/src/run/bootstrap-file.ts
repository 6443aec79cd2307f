import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bootstrap as it is written: in many modules, and not translated by the build, so the same in `src` and in `dist`. */
export const bootstrapModules = fileURLToPath(new URL('../bootstrap/main.js', import.meta.url));

/**
 * Write the bootstrap as one module, in a folder of its own.
 *
 * Deno takes a fifth less CPU to start with one small module than with fifteen, and there is nothing left that code could
 * import from it.
 *
 * @returns Its path; every user may read it.
 */
export async function writeBootstrap(folder: string): Promise<string> {
  const { buildSync } = await import('esbuild');
  const file = path.join(folder, 'bootstrap', 'main.js');
  // In a process that is gone with the answer; the asynchronous one would stay.
  buildSync({
    entryPoints: [bootstrapModules],
    bundle: true,
    minify: true,
    outfile: file,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    charset: 'utf8',
    legalComments: 'none',
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  // Whatever the umask of the host is.
  await chmod(path.dirname(file), 0o755);
  await chmod(file, 0o444);
  return file;
}
