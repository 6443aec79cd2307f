import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '../connect.ts';

export interface CrashReport {
  readonly kills: number;
  /** Commits that were acknowledged before a kill. */
  readonly acknowledged: number;
  /** Of these, those that are not in the database. */
  readonly lost: readonly string[];
  /** Commits of which only a part is in the database, acknowledged or not. */
  readonly torn: readonly string[];
  /** What is wrong with counters and file; empty when nothing is. */
  readonly damage: readonly string[];
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

/** Run the writer until it has acknowledged so many commits, then kill it; everything that it acknowledged. */
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

async function inspect(file: string, acknowledged: ReadonlySet<string>) {
  const options = { file, busyTimeoutMs: 5_000, cacheMegabytes: 16, maxMegabytes: undefined };
  const { dataSource, database } = await connect(options, 'write');
  try {
    const all = (sql: string) => database.prepare(sql).raw(true).all([]);
    const ids = (sql: string) => new Set(all(sql).map(([id]) => String(id)));
    const functions = ids("SELECT id FROM functions WHERE id LIKE 'function_%'");
    const versions = ids('SELECT function_id FROM function_versions');
    const counted = new Map(
      all("SELECT id, revision, name FROM functions WHERE id LIKE 'counter_%'").map(([id, revision, name]) => [
        String(id),
        { revision: Number(revision), name: String(name) },
      ]),
    );
    const torn = [...new Set([...functions, ...versions])].filter((id) => {
      const [, run, writer, round] = id.split('_');
      const counter = counted.get(`counter_${run}_${writer}`);
      return !functions.has(id) || !versions.has(id) || (counter?.revision ?? 0) < Number(round) + 2;
    });
    for (const [id, { revision, name }] of counted) {
      if (revision > 1 && !functions.has(name)) torn.push(id);
    }
    const totals = (sql: string) => String(all(sql)[0]?.[0]);
    const damage = [
      ...all('PRAGMA integrity_check').flat().map(String),
      ...(['functions', 'function_versions'] as const).map((table) => {
        const collection = table === 'functions' ? 'functions' : 'functionVersions';
        const kept = totals(`SELECT total FROM counts WHERE collection = '${collection}' AND field = ''`);
        return kept === totals(`SELECT COUNT(*) FROM ${table}`) ? 'ok' : `the counter of ${table} is ${kept}`;
      }),
    ].filter((line) => line !== 'ok');
    return { lost: [...acknowledged].filter((id) => !functions.has(id)), torn, damage };
  } finally {
    await dataSource.destroy();
  }
}
