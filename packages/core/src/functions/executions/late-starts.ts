import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A run that takes longer has a row after one or two of these. */
const TICK_MS = 50;

/**
 * Starts of runs that are stored late, or never: most runs end before anyone could look for them, and are stored once,
 * with their outcome. Longer ones are stored together.
 */
export class LateStarts {
  readonly #storage: Pick<Storage, 'commit'>;
  readonly #waiting = new Set<LateStart>();
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: Pick<Storage, 'commit'>) {
    this.#storage = storage;
  }

  /** @param row With an id that is not known outside yet. */
  open(tenant: TenantId, row: ExecutionRow): LateStart {
    const commit = async () => {
      this.#waiting.delete(start);
      // Refused only if a commit that seemed to fail has stored it.
      await this.#storage.commit(tenant, [{ insert: 'executions', row }], { survives: 'crash' });
    };
    const onWaiting = () => this.#wait(start);
    const start: LateStart = new LateStart({ commit, onWaiting, onEnd: () => this.#waiting.delete(start) });
    this.#wait(start);
    return start;
  }

  #wait(start: LateStart): void {
    this.#waiting.add(start);
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    for (const start of this.#waiting) {
      if (start.isDue) start.write().catch(() => undefined);
      else {
        start.isDue = true;
        this.#wait(start);
      }
    }
  }
}

interface StartParts {
  readonly commit: () => Promise<void>;
  /** It is to be stored later. */
  readonly onWaiting: () => void;
  readonly onEnd: () => void;
}

/** The start of one run. */
export class LateStart {
  readonly #parts: StartParts;
  #writing: Promise<void> | undefined;
  #isOver = false;
  /** It has waited for a tick. */
  isDue = false;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  /**
   * Store it now, if it is not stored, and resolve when it is. If the storage rejects it, it is retried. Does nothing
   * once the run is over.
   */
  async write(): Promise<void> {
    if (!this.#isOver) this.#writing ??= this.#commit();
    await this.#writing;
  }

  /** The run is over. @returns Whether its start was stored; if not, it will not be. */
  async end(): Promise<boolean> {
    this.#isOver = true;
    this.#parts.onEnd();
    if (this.#writing === undefined) return false;
    return await this.#writing.then(
      () => true,
      () => false,
    );
  }

  async #commit(): Promise<void> {
    try {
      await this.#parts.commit();
    } catch (error) {
      this.#writing = undefined;
      if (!this.#isOver) this.#parts.onWaiting();
      throw error;
    }
  }
}
