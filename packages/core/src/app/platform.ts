import type { Cache } from '../contracts/cache.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Queue } from '../contracts/queue.ts';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Measuring } from '../telemetry/measuring.ts';

/** Plugins and facilities that are the same from the start of an app to its end. */
export interface Platform {
  readonly storage: Storage;
  readonly queue: Queue;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly measuring: Measuring;
  readonly rootSecret: RootSecret;
  /** Aborts when the drain deadline has passed. */
  readonly stopping: AbortSignal;
}
