/**
 * Hints between the processes on one storage, such as that there may be a job. A hint can be late or lost, so whoever
 * waits for one polls in any case.
 *
 * @example
 * ```ts
 * import type { Storage } from '@patchbay/core/storage';
 *
 * function onChange(storage: Storage, look: () => void) {
 *   const listening = storage.signals?.listen((name) => {
 *     if (name === 'changed' || name === undefined) look();
 *   });
 *   return () => listening?.close();
 * }
 * ```
 */
export interface StorageSignals {
  /** Tell all processes, this one included. Never fails. @param name At most 200 characters. */
  send(name: string): void;
  /** Hear of signals from soon on. `undefined` stands for any that may have been missed. */
  listen(heard: (name: string | undefined) => void): { close(): void };
}
