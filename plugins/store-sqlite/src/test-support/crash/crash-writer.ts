import { writeSync } from 'node:fs';
import { tenantId } from '@patchbay/core/plugin';
import type { Write } from '@patchbay/core/storage';
import { SqliteStorage } from '../../sqlite-storage.ts';
import { functionRow } from '../function-row.ts';
import { scheduledRow, scheduleRow } from '../scheduled-rows.ts';

/**
 * Commits until it is killed or has done this many rounds, several at a time, and prints the name of each commit that
 * was acknowledged. A commit changes six rows: the function, a version of it, a function that it counts up, as a time
 * of a schedule does, the schedule and its execution, and one that was written before without waiting for the disk.
 * Another commit takes the execution, as a server does before it runs it.
 */
const [file = '', run = '', rounds = 'Infinity'] = process.argv.slice(2);
const tenant = tenantId('crash');
const storage = new SqliteStorage({ file, busyTimeoutMs: 5_000, cacheMegabytes: 1, maxMegabytes: undefined });
await storage.start(AbortSignal.timeout(10_000));
await storage.migrate();
await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
// The connections would keep the process.
process.exit();

async function write(writer: number): Promise<void> {
  const counter = `counter_${run}_${writer}`;
  const schedule = `schedule_${run}_${writer}`;
  await storage.commit(tenant, [
    { insert: 'functions', row: functionRow(counter) },
    { insert: 'schedules', row: scheduleRow(schedule) },
  ]);
  for (let round = 0; round < Number(rounds); round += 1) {
    const id = `function_${run}_${writer}_${round}`;
    const row = functionRow(id, { code: 'x'.repeat((round * 997) % 9_000) });
    const started = { ...scheduledRow(`started_${id}`, schedule), scheduleId: null, status: 'running' } as const;
    await storage.commit(tenant, [{ insert: 'executions', row: started }], { survives: 'crash' });
    const { artifact: _, updatedAt: __, ...rest } = row;
    const writes: Write[] = [
      { insert: 'functions', row },
      {
        insert: 'functionVersions',
        row: { ...rest, id: `version_${id}`, functionId: id, version: 1, createdBy: counter },
      },
      { update: 'functions', id: counter, set: { name: id }, ifRevision: round + 1 },
      { update: 'schedules', id: schedule, set: { lastExecutionId: `execution_${id}` }, ifRevision: round + 1 },
      { insert: 'executions', row: scheduledRow(`execution_${id}`, schedule) },
      { update: 'executions', id: started.id, set: { status: 'completed' }, ifRevision: 1 },
    ];
    await commit(id, writes);
    const execution = `execution_${id}`;
    const set = { status: 'running', owner: schedule, attempt: 1 } as const;
    await commit(execution, [{ update: 'executions', id: execution, set, ifRevision: 1 }]);
  }
}

async function commit(name: string, writes: readonly Write[]): Promise<void> {
  const result = await storage.commit(tenant, writes);
  if (!result.done) throw new Error(`${name} was refused`);
  print(`${name}\n`);
}

/** At once and whole: what is printed was acknowledged, even if the next thing is the end. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      // The pipe is full until its reader goes on.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
