import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SqliteStorage } from '../../sqlite-storage.ts';
import { type Findings, inspect } from '../crash/inspect.ts';
import { recordWriter } from './record-writer.ts';
import type { RecordedCall } from './recorded-call.ts';
import { SimulatedDisk } from './simulated-disk.ts';

interface PowerLossReport extends Findings {
  /** Moments at which the power failed. */
  readonly points: number;
  /** Commits that were acknowledged while the recording was made. */
  readonly acknowledged: number;
}

/** The system calls of a process with eight writers on a new database. */
interface RecordedRun {
  readonly file: string;
  readonly calls: readonly RecordedCall[];
}

export async function recordRun(rounds: number): Promise<RecordedRun> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-recorded-'));
  try {
    const file = join(directory, 'recorded', 'patchbay.db');
    return { file, calls: await recordWriter(file, join(directory, 'calls'), rounds) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Let the power fail at many moments of a recorded run and look at what a server then finds: on every second disk
 * nothing but synced bytes, on the others also some of those that were not. The seed chooses the moments and the bytes.
 *
 * @param lying A disk that says "synced" and does nothing: what the run has to find out.
 */
export async function powerLossRun(
  { file, calls }: RecordedRun,
  points: number,
  seed: number,
  lying = false,
): Promise<PowerLossReport> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-power-loss-'));
  try {
    const start = calls.findIndex((call) => call.kind === 'open' && call.path === file);
    const random = numbers(seed);
    const moments = new Map(
      Array.from({ length: points }, (_, point) => [start + Math.floor(random() * (calls.length - start)), point]),
    );
    const disk = new SimulatedDisk();
    const acknowledged = new Set<string>();
    const found: Findings[] = [];
    for (const [index, call] of calls.entries()) {
      const point = moments.get(index);
      if (point !== undefined) {
        const files = disk.afterPowerLoss(point % 2 === 0 ? 'none' : { random });
        found.push(await afterRestart(files, dirname(file), join(directory, String(point)), acknowledged));
      }
      if (!lying || call.kind !== 'sync' || !call.path.endsWith('-wal')) disk.apply(call);
      if (call.kind === 'print') for (const id of call.text.trim().split('\n')) acknowledged.add(id);
    }
    return {
      points: found.length,
      acknowledged: acknowledged.size,
      lost: found.flatMap(({ lost }) => lost),
      torn: found.flatMap(({ torn }) => torn),
      damage: found.flatMap(({ damage }) => damage),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function afterRestart(
  files: ReadonlyMap<string, Buffer>,
  recorded: string,
  folder: string,
  acknowledged: ReadonlySet<string>,
): Promise<Findings> {
  await mkdir(folder);
  for (const [path, bytes] of files) {
    if (dirname(path) === recorded) await writeFile(join(folder, basename(path)), bytes);
  }
  const file = join(folder, 'patchbay.db');
  const storage = new SqliteStorage({ file, busyTimeoutMs: 5_000, cacheMegabytes: 1, maxMegabytes: undefined });
  try {
    await storage.start(AbortSignal.timeout(60_000));
    await storage.migrate();
    await storage.stop();
    return await inspect(file, acknowledged);
  } catch (error) {
    // A database that cannot be opened has lost everything.
    return { lost: [...acknowledged], torn: [], damage: [String(error)] };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
