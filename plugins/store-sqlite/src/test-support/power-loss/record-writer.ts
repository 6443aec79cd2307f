import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type RecordedCall, readRecording } from './recorded-call.ts';

const CALLS =
  'openat,close,write,pwrite64,pwritev,pwritev2,ftruncate,fallocate,fsync,fdatasync,unlink,rename,renameat2';

/** Whether calls can be recorded here: `strace` is a package of every Linux, and on no other system. */
export function canRecord(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
}

/** Everything that a process does to its files and prints while it commits on a new database. */
export async function recordWriter(file: string, recording: string, rounds: number): Promise<readonly RecordedCall[]> {
  const script = new URL('../crash/crash-writer.ts', import.meta.url).pathname;
  const node = [process.execPath, '--conditions=source', script, file, '0', String(rounds)];
  const child = spawn('strace', ['-f', '-o', recording, '-xx', '-s', '10000000', '-e', `trace=${CALLS}`, ...node], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // A compile cache would write files that are not of the database.
    env: { ...process.env, NODE_COMPILE_CACHE: undefined },
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the recorded writer ended with ${code}`);
  return [...readRecording(await readFile(recording, 'utf8'))];
}
