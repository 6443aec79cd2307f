import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';

const children: ChildProcess[] = [];
let folder: string | undefined;
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Another process that opens the file, and asks so many times at once on a word of ours. */
function takingProcess(file: string, calls: number) {
  const script = new URL('./test-support/taking-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', script, file, String(calls)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    go: () => void child.stdin.write('go\n'),
    line: async () => String((await lines.next()).value),
  };
}

it('the limit holds exactly when two processes ask 1,000 times each', async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-limits-'));
  const file = join(folder, 'limits.db');
  const processes = [takingProcess(file, 1_000), takingProcess(file, 1_000)];
  expect(await Promise.all(processes.map(({ line }) => line()))).toEqual(['ready', 'ready']);
  for (const { go } of processes) go();
  const taken = await Promise.all(processes.map(({ line }) => line()));
  expect(taken.reduce((sum, each) => sum + Number(each), 0)).toBe(500);
});
