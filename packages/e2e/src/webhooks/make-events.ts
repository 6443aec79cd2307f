import { setTimeout as delay } from 'node:timers/promises';
import { echo } from '../driver/sample-functions.ts';
import { ask, type ServerProcess } from '../driver/server-process.ts';
import { subjectOf } from './receiver.ts';

/** Acknowledged changes, each of which must be delivered as an event. */
export interface EventLog {
  /** One text for each, as receivers name them. */
  readonly acknowledged: Set<string>;
}

/**
 * Create a function and replace it again and again, each of which is an event, until enough is acknowledged. Goes on with
 * the next server when one is killed.
 */
export async function makeEvents(
  server: () => ServerProcess,
  log: EventLog,
  { enough, onAcknowledged }: { readonly enough: () => boolean; readonly onAcknowledged: () => void },
): Promise<void> {
  let id: string | undefined;
  let version = 0;
  while (!enough()) {
    try {
      const body = { ...echo, description: `version ${version + 1}` };
      const answer =
        id === undefined
          ? await ask(server(), 'POST', '/functions', body)
          : await ask(server(), 'PUT', `/functions/${id}`, body, { 'if-match': `"${version}"` });
      if (answer.status === 412 && id !== undefined) {
        // The one before was done, and not acknowledged.
        version = Number(/\d+/u.exec((await ask(server(), 'GET', `/functions/${id}`)).headers.get('etag') ?? '')?.[0]);
        continue;
      }
      if (answer.status >= 300) {
        await delay(50);
        continue;
      }
      id = String(answer.body['id']);
      version += 1;
      log.acknowledged.add(subjectOf(id, version));
      onAcknowledged();
    } catch {
      // The server is gone; the next one is starting.
      await delay(50);
    }
  }
}
