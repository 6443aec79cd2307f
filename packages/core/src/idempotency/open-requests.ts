import { createHash } from 'node:crypto';
import type { Principal } from '../contracts/context.ts';
import type { StorageSignals } from '../contracts/storage.ts';

type Caller = Pick<Principal, 'tenant' | 'id'>;

const SIGNAL = 'cancel';

/** The requests with an `Idempotency-Key` that this process is working on, so that their caller can cancel them. */
export class OpenRequests {
  readonly #signals: StorageSignals | undefined;
  readonly #instance: string;
  readonly #open = new Map<string, Set<() => void>>();
  #isListening = false;

  /** @param instance The id of this process. */
  constructor(signals: StorageSignals | undefined, instance: string) {
    this.#signals = signals;
    this.#instance = instance;
  }

  /** @returns Removes the request again. */
  add(caller: Caller, key: string, cancel: () => void): () => void {
    this.#listen();
    const id = idOf(caller, key);
    const requests = this.#open.get(id) ?? new Set();
    this.#open.set(id, requests.add(cancel));
    return () => {
      requests.delete(cancel);
      if (requests.size === 0 && this.#open.get(id) === requests) this.#open.delete(id);
    };
  }

  /** Cancel requests here, and notify the other processes on the storage. @returns How many there were here. */
  cancel(caller: Caller, key: string): number {
    const id = idOf(caller, key);
    this.#signals?.send(`${SIGNAL} ${this.#instance} ${id}`);
    return this.#cancelOpen(id);
  }

  #cancelOpen(id: string): number {
    const requests = [...(this.#open.get(id) ?? [])];
    for (const cancel of requests) cancel();
    return requests.length;
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#signals?.listen((name = '') => {
      const [signal, instance, id = ''] = name.split(' ');
      // A signal also comes back to its sender, where the key may be in use again by then.
      if (signal === SIGNAL && instance !== this.#instance) this.#cancelOpen(id);
    });
  }
}

function idOf({ tenant, id }: Caller, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, id, key]))
    .digest('hex');
}
