import { Wakeup } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Queue } from '@patchbay/contracts/queue';
import type { Storage } from '@patchbay/contracts/storage';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { WebhookSender } from './sending/create-webhook-sender.ts';

export interface LaneDependencies {
  readonly storage: Storage;
  readonly queue: Pick<Queue, 'write' | 'notify'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly box: SecretBox;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly notifier: ReturnType<typeof createLaneNotifier>;
  /** Delays deliveries beyond the configured rate. */
  readonly throttle: ReturnType<typeof createThrottle>;
  /** Gathers the outcomes of deliveries, so that they share a flush to disk. */
  readonly groupCommit: ReturnType<typeof createGroupCommit>;
  /** A number from 0 to 1, for the jitter of the schedule. */
  readonly random: () => number;
}

/** The dependencies for queueing deliveries. */
export type LaneStorage = Pick<LaneDependencies, 'storage' | 'queue' | 'clock' | 'notifier'>;

/** Notifies the lane running in this process that there is more to do. Other processes find out by polling. */
export function createLaneNotifier() {
  const waiting = new Map<string, () => void>();
  return {
    notify: (id: string) => waiting.get(id)?.(),
    /** Resolves at the next notification, or after some milliseconds. */
    wait: (id: string, ms: number) =>
      new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          if (waiting.get(id) === end) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(end, ms).unref();
        waiting.set(id, end);
      }),
  };
}

const BURST_MS = 2_000;

/**
 * Limits the rate at which work begins, so that requests to the API do not wait for it.
 *
 * @param perSecond Current number of pieces of work per second. Unused capacity is kept for two seconds, so that
 * infrequent work does not wait.
 */
export function createThrottle(perSecond: () => number, clock: Pick<Clock, 'monotonic'>) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    /**
     * Resolves when the next piece of work may begin, in the order of the calls; immediately if the signal has aborted.
     */
    async next(signal: AbortSignal): Promise<void> {
      const now = clock.monotonic();
      nextAt = Math.max(nextAt, now - BURST_MS) + 1_000 / perSecond();
      const waitMs = nextAt - now;
      if (waitMs > 0) await new Wakeup().wait(signal, waitMs);
    },
  };
}

/**
 * Commits made at the same time share a flush to disk. A storage in this process may block while it flushes, and a server
 * that flushed for every delivery would keep its callers waiting.
 *
 * @param everyMs Milliseconds from the first waiting commit until the group continues.
 */
export function createGroupCommit(everyMs: number) {
  let coming: Promise<void> | undefined;
  return {
    next(): Promise<void> {
      coming ??= new Promise((resolve) => {
        setTimeout(() => {
          coming = undefined;
          resolve();
        }, everyMs);
      });
      return coming;
    },
  };
}
