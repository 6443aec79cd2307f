import { PatchbayError } from '@patchbay/contracts/errors';
import type { Limits } from '@patchbay/contracts/limits';

/** The share that the body of one request takes up. */
export interface BodyShare {
  /**
   * To be called for each chunk, before it is kept.
   *
   * @throws PatchbayError `overloaded` if the bodies of all requests would become too large.
   */
  take(bytes: number): void;
  /** The body is no longer needed. Only the first call counts. */
  leave(): void;
}

/** Limits the bytes of the bodies of all requests in progress. Counted in this process. */
export interface BodyMemory {
  open(): BodyShare;
}

/** Counts what has arrived, not what was announced, so that an announcement alone takes no memory from others. */
export function createBodyMemory(limits: () => Pick<Limits, 'off' | 'bodyBytes'>): BodyMemory {
  let total = 0;
  return {
    open() {
      let held = 0;
      return {
        take(bytes) {
          const { off, bodyBytes } = limits();
          if (!off && total + bytes > bodyBytes) {
            const detail = 'the bodies of the requests in progress take up all the memory that there is for them';
            throw new PatchbayError('overloaded', detail, { retryAfter: 1 });
          }
          held += bytes;
          total += bytes;
        },
        leave() {
          total -= held;
          held = 0;
        },
      };
    },
  };
}
