import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { plantCanaries } from './canaries.ts';
import type { Combination } from './combination.ts';
import { type HostState, hostState } from './host-state.ts';
import type { HostileProgram } from './hostile-program.ts';
import { litter } from './litter.ts';
import { startPrison } from './prison.ts';
import { type Finding, type Findings, runBatch } from './run-batch.ts';

export interface Report extends Findings {
  readonly programs: number;
}

export interface RunOptions {
  readonly combination: Combination;
  /** How many programs that are one expression share a process; 1 gives each its own. */
  readonly groupSize?: number;
}

const BATCH = 48;

/** Run programs on one executor, many at a time, and see what became of them, of the canaries and of the host. */
export async function runPrograms(
  programs: readonly HostileProgram[],
  { combination, groupSize = 1 }: RunOptions,
): Promise<Report> {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-hostile-'));
  chmodSync(folder, 0o755);
  const slots = path.join(folder, 'slots');
  mkdirSync(slots, { mode: 0o755 });
  const escapes: Finding[] = [];
  const unexpected: Finding[] = [];
  const canaries = await plantCanaries({ folder, hidesSharedFiles: combination.hidesSharedFiles });
  const before = hostState(folder);
  const litterBefore = litter();
  const temporary = process.env['TMPDIR'];
  process.env['TMPDIR'] = slots;
  try {
    const prison = await startPrison(combination, folder, canaries);
    try {
      for (let start = 0; start < programs.length; start += BATCH) {
        const batch = programs.slice(start, start + BATCH);
        const findings = await runBatch(batch, { prison, canaries, groupSize });
        escapes.push(...findings.escapes);
        unexpected.push(...findings.unexpected);
      }
    } finally {
      await prison.stop();
    }
    escapes.push(...(await leftovers(before, folder, slots)));
    const left = litter().filter((file) => !litterBefore.includes(file));
    for (const file of left) {
      // Where the jail is the only protection, programs may write such files. They are removed, too.
      rmSync(file, { recursive: true });
      if (combination.hidesSharedFiles) escapes.push({ program: 'all of them', what: `${file} is left` });
    }
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = temporary;
    await canaries.remove();
    rmSync(folder, { recursive: true });
  }
  return { programs: programs.length, escapes, unexpected };
}

/** A stopped executor leaves nothing behind: no process, no open file, no folder. */
async function leftovers(before: HostState, folder: string, slots: string): Promise<readonly Finding[]> {
  for (let attempt = 0; ; attempt++) {
    const now = hostState(folder);
    const processes = now.processes.filter((pid) => !before.processes.includes(pid));
    const found = [
      ...processes.map((pid) => `process ${pid} is left`),
      ...(now.openFiles > before.openFiles ? [`${now.openFiles - before.openFiles} open files are left`] : []),
      ...readdirSync(slots).map((name) => `the folder ${name} is left`),
      ...Object.keys(Object.prototype).map((name) => `Object.prototype has ${name}`),
    ];
    if (found.length === 0 || attempt === 20) return found.map((what) => ({ program: 'all of them', what }));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
