import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Faults of the database itself, by its folder. */
export function checkDatabase(data: string): string[] {
  const database = new DatabaseSync(join(data, 'patchbay.db'), { readOnly: true });
  try {
    const values = (sql: string): string[] =>
      database
        .prepare(sql)
        .all()
        .flatMap((row) => Object.values(row).map(String));
    // Those of schedules are looked at in the end: their times go on.
    const [running] = values(
      "SELECT count(*) FROM executions WHERE status IN ('running', 'queued') AND schedule_id IS NULL",
    );
    const torn = values('SELECT id FROM functions WHERE id NOT IN (SELECT function_id FROM function_versions)');
    return [
      ...values('PRAGMA integrity_check').filter((line) => line !== 'ok'),
      ...(running === '0' ? [] : [`${running} executions are still running`]),
      ...torn.map((id) => `${id} has no version`),
    ];
  } finally {
    database.close();
  }
}
