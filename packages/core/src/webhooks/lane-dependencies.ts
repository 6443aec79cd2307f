import type { AuditLog } from '../audit/audit-log.ts';
import { Wakeup } from '../base/signals.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Queue } from '../contracts/queue.ts';
import type { Storage } from '../contracts/storage.ts';
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
  readonly notifier: LaneNotifier;
  /** Delays deliveries beyond the configured rate. */
  readonly throttle: Throttle;
  /** Gathers the outcomes of deliveries, so that they share a flush to disk. */
  readonly groupCommit: GroupCommit;
  /** A number from 0 to 1, for the jitter of the schedule. */
  readonly random: () => number;
}

/** The dependencies for queueing deliveries. */
export type LaneStorage = Pick<LaneDependencies, 'storage' | 'queue' | 'clock' | 'notifier'>;

/** Notifies the lane running in this process that there is more to do. Other processes find out by polling. */
export interface LaneNotifier {
  notify(id: string): void;
  /** Resolves at the next notification, or after some milliseconds. */
  wait(id: string, ms: number): Promise<void>;
}

export function createLaneNotifier(): LaneNotifier {
  const waiting = new Map<string, () => void>();
  return {
    notify: (id) => waiting.get(id)?.(),
    wait: (id, ms) =>
      new Promise((resolve) => {
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

/** Limits the rate at which work begins, so that requests to the API do not wait for it. */
export interface Throttle {
  /** Resolves when the next piece of work may begin, in the order of the calls; at once where the signal has aborted. */
  next(signal: AbortSignal): Promise<void>;
}

const BURST_MS = 2_000;

/**
 * @param perSecond Pieces of work in a second, as it is now. What was not used is kept for two seconds, so that what comes
 * rarely does not wait.
 */
export function createThrottle(perSecond: () => number, clock: Pick<Clock, 'monotonic'>): Throttle {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async next(signal) {
      const now = clock.monotonic();
      nextAt = Math.max(nextAt, now - BURST_MS) + 1_000 / perSecond();
      const waitMs = nextAt - now;
      if (waitMs > 0) await new Wakeup().wait(signal, waitMs);
    },
  };
}

/** Points in time at which all waiting commits go on together. */
export interface GroupCommit {
  next(): Promise<void>;
}

/**
 * Commits made at the same time share a flush to disk. A storage in this process may block while it flushes, and a server
 * that flushed for every delivery would keep its callers waiting.
 *
 * @param everyMs Milliseconds from the first waiting commit until the group goes on.
 */
export function createGroupCommit(everyMs: number): GroupCommit {
  let coming: Promise<void> | undefined;
  return {
    next() {
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
