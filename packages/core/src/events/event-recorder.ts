import { createTimestamps } from '@patchbay/contracts/base/clock';
import { isRejectedByStorage } from '@patchbay/contracts/base/storage-arguments';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { WebhookEvent, WebhookOutbox } from './webhook-outbox.ts';

export interface RecorderDependencies {
  readonly storage: Storage;
  readonly outbox: WebhookOutbox;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each event that the storage rejected, which is dropped. */
  readonly onRejected?: () => void;
  /** Milliseconds to collect events for one commit. Default 100. */
  readonly delayMs?: number;
  /** Maximum number of buffered events. Default 20,000. */
  readonly capacity?: number;
}

/** Events of one commit, which is one job. */
const BATCH = 100;
const RETRY_MS = 1_000;

export type EventRecorder = ReturnType<typeof createEventRecorder>;

/** Records events without a stored change in the background, after the requests that they describe. */
export function createEventRecorder(parts: RecorderDependencies) {
  const { storage, outbox, clock, logger, onRejected, delayMs = 100, capacity = 20_000 } = parts;
  const timestamp = createTimestamps(clock);
  const waiting = new Map<TenantId, WebhookEvent[]>();
  let count = 0;
  let lost = 0;
  let failed = false;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const write = async (tenant: TenantId, events: readonly WebhookEvent[]): Promise<void> => {
    const writes = await outbox.writes(tenant, events);
    if (writes.length === 0) return;
    await storage.commit(tenant, writes);
    outbox.notify();
  };

  const leaveOut = (tenant: TenantId, error: unknown): void => {
    logger.error('a webhook event was dropped: the storage rejects it', { tenant, error });
    onRejected?.();
  };

  /**
   * Events that are added meanwhile wait for the next time: otherwise a busy server would write one small commit after
   * another.
   */
  const writeAll = async (): Promise<void> => {
    const due = [...waiting];
    for (const [tenant, events] of due) {
      let size = BATCH;
      let left = events.length;
      while (left > 0) {
        const batch = events.slice(0, Math.min(size, left));
        // A failed commit may still be on disk; its events are then sent twice.
        const isWritten = await write(tenant, batch).then(
          () => true,
          (error: unknown) => {
            if (!isRejectedByStorage(error)) throw error;
            if (batch.length === 1) leaveOut(tenant, error);
            return false;
          },
        );
        if (!isWritten && batch.length > 1) {
          size = Math.ceil(batch.length / 2);
          continue;
        }
        events.splice(0, batch.length);
        left -= batch.length;
        count -= batch.length;
        size = Math.min(size * 2, BATCH);
      }
      if (events.length === 0) waiting.delete(tenant);
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    failed = false;
    last = last.then(writeAll).catch((error: unknown) => {
      failed = true;
      logger.warn('webhook events cannot be written; they are buffered in memory', { count, error });
    });
    await last;
    if (lost > 0) logger.error('webhook events were lost: the buffer was full', { count: lost });
    lost = 0;
    if (count > 0) schedule(failed ? RETRY_MS : delayMs);
  };

  const schedule = (ms: number): void => {
    // Not unref'd: a process that exits normally writes its buffered events.
    timer ??= setTimeout(() => void flush(), ms);
  };

  return {
    /** Resolves when everything recorded before is on disk, or could not be written. */
    flush,

    /** Never fails and never waits. */
    record(tenant: TenantId, event: WebhookEvent): void {
      if (count >= capacity) {
        lost += 1;
        return;
      }
      const dated = { ...event, at: timestamp() };
      const events = waiting.get(tenant);
      if (events) events.push(dated);
      else waiting.set(tenant, [dated]);
      count += 1;
      schedule(delayMs);
    },

    async stop(): Promise<void> {
      do await flush();
      while (count > 0 && !failed);
      clearTimeout(timer);
      if (count > 0) logger.error('webhook events were lost: they could not be written before the shutdown', { count });
    },
  };
}
