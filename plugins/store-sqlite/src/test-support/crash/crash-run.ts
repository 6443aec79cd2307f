import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Findings, inspect } from './inspect.ts';

interface CrashReport extends Findings {
  readonly kills: number;
  /** Commits that were acknowledged before a kill. */
  readonly acknowledged: number;
}

/** Kill a process that writes, again and again on the same file, and look at what is left. The seed says when. */
export async function crashRun(kills: number, seed: number, longest = 400): Promise<CrashReport> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-crash-'));
  const file = join(directory, 'patchbay.db');
  const acknowledged = new Set<string>();
  let state = seed;
  try {
    for (let run = 0; run < kills; run += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const lines = 1 + Math.floor((state / 2 ** 32) * longest);
      for (const id of await killAfter(lines, file, run)) acknowledged.add(id);
    }
    return { kills, acknowledged: acknowledged.size, ...(await inspect(file, acknowledged)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Run the writer until it has acknowledged this many commits, then kill it; returns everything that it acknowledged.
 */
async function killAfter(lines: number, file: string, run: number): Promise<readonly string[]> {
  const script = new URL('./crash-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', script, file, String(run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const ids: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    ids.push(line);
    if (ids.length === lines) child.kill('SIGKILL');
  }
  await closed;
  if (ids.length < lines) throw new Error('the writer ended by itself');
  return ids;
}
