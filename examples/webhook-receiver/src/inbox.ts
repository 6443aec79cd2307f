import { DatabaseSync } from 'node:sqlite';
import type { WebhookEvent } from '@patchbay/client/webhooks';

/** Events that were received, until they have been handled. */
export interface Inbox {
  /** Store an event on disk; one that is already stored changes nothing. */
  put(event: WebhookEvent): void;
  /** Handle what is waiting, in the order in which it came. What fails waits for the next time. */
  work(handle: (event: WebhookEvent) => Promise<void>): Promise<void>;
  close(): void;
}

/** @param file Of SQLite. `:memory:` forgets everything at the end. */
export function openInbox(file: string): Inbox {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, event TEXT, handled INTEGER DEFAULT 0)');
  // The primary key keeps an event that arrives twice from being handled twice.
  const insert = database.prepare('INSERT INTO inbox (id, event) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const next = database.prepare('SELECT rowid, id, event FROM inbox WHERE handled = 0 AND rowid > ? ORDER BY rowid');
  const done = database.prepare('UPDATE inbox SET handled = 1, event = NULL WHERE id = ?');
  let working = Promise.resolve();

  const workOnce = async (handle: (event: WebhookEvent) => Promise<void>): Promise<void> => {
    for (let last = 0, row = next.get(last); row !== undefined; row = next.get(last)) {
      last = Number(row['rowid']);
      try {
        await handle(JSON.parse(String(row['event'])) as WebhookEvent);
        done.run(String(row['id']));
      } catch (error) {
        console.error('not handled yet', row['id'], error);
      }
    }
  };

  return {
    put: (event) => void insert.run(event.id, JSON.stringify(event)),
    work(handle) {
      working = working.then(() => workOnce(handle));
      return working;
    },
    close: () => database.close(),
  };
}
