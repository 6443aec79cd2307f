import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** A Node of this version, from npm; the path of its binary. */
export async function nodeBinary(version: string, folder: string): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await run(
    'npm',
    ['install', `${name}@${version}`, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
    folder,
  );
  return join(folder, 'node_modules', name, 'bin', 'node');
}
