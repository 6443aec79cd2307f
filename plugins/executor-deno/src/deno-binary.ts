import { createRequire } from 'node:module';
import path from 'node:path';
import { PatchbayError } from '@patchbay/core/plugin';
import { execa } from 'execa';
import { denoEnvironment } from './launch/deno-command.ts';

const OLDEST = { major: 2, minor: 9 };

/**
 * The program that npm's `deno` package brings for this platform. Its launcher is a Node process around the real one,
 * and its install script may not have run: neither is needed.
 *
 * @throws PatchbayError `plugin_start_failed` where the package has none for this platform.
 */
export function findDeno(): string {
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  try {
    const fromDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));
    const manifest = fromDeno.resolve(`@deno/${platform}/package.json`);
    return path.join(path.dirname(manifest), process.platform === 'win32' ? 'deno.exe' : 'deno');
  } catch (cause) {
    const message = `There is no Deno for ${platform}: install the npm package "deno", or set the option "denoPath"`;
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
}

/**
 * Ask a Deno for its version.
 *
 * @throws PatchbayError `plugin_start_failed` where it does not run, or is one with known holes.
 */
export async function checkDeno(file: string, signal: AbortSignal): Promise<string> {
  const { stdout, failed, cause } = await execa(file, ['--version'], {
    env: denoEnvironment,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: signal,
    maxBuffer: 4096,
  });
  const [text, major, minor] = /^deno (\d+)\.(\d+)\.\d+/u.exec(stdout ?? '') ?? [];
  if (failed || text === undefined) {
    throw new PatchbayError('plugin_start_failed', `Deno does not run: ${file}`, { cause });
  }
  if (Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor)) {
    const message = `Deno ${OLDEST.major}.${OLDEST.minor} or newer is needed, and ${file} is ${text.slice(5)}`;
    throw new PatchbayError('plugin_start_failed', message);
  }
  return text.slice(5);
}
