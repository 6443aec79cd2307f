import { timestamp } from '@patchbay/contracts/base/clock';
import { idOfContent } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import type { RateLimiter } from '@patchbay/contracts/rate-limiter';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { CommitOptions, Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { consume, refusalOf } from '../../limits/request-limits.ts';

interface SlotParts {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly clock: Clock;
}

interface StartParts extends SlotParts {
  readonly limiter: Pick<RateLimiter, 'consume' | 'adjust'>;
}

type StartingRow = Pick<ExecutionRow, 'id' | 'functionId' | 'policy' | 'input' | 'effectiveInput'>;

/** `refused`: the execution is not as it was read. An error: its function may not run now. */
export type StartOutcome = 'started' | 'refused' | PatchbayError;

/** Let an execution run, within the rate and the concurrency of its function. */
export async function commitStart(
  parts: StartParts,
  tenant: TenantId,
  row: StartingRow,
  start: Write,
  options?: CommitOptions,
): Promise<StartOutcome> {
  const { rateLimit } = row.policy ?? {};
  if (!rateLimit) return await commitInSlot(parts, tenant, row, start, options);
  const policy = { ...rateLimit, name: 'function' };
  const charge = { key: `function ${tenant} ${row.functionId}`, cost: 1, policy };
  const refusal = refusalOf(await consume(parts.limiter, [charge]), tooOften);
  if (refusal) return refusal;
  const outcome = await commitInSlot(parts, tenant, row, start, options);
  // Only runs count.
  if (outcome !== 'started') await parts.limiter.adjust([{ ...charge, cost: -1 }]);
  return outcome;
}

const tooOften = 'the function runs as often as its settings allow; wait as long as Retry-After says';

const tooMany = 'as many executions of the function are running as its settings allow';

/**
 * Commit a start with a slot if the function limits how many run at the same time. The slot is a row with an id that only one
 * execution can have, in the commit of the start, so that the limit holds for all servers together.
 */
async function commitInSlot(
  { storage, clock }: SlotParts,
  tenant: TenantId,
  row: StartingRow,
  start: Write,
  options?: CommitOptions,
): Promise<StartOutcome> {
  const { concurrency } = row.policy ?? {};
  if (!concurrency) return (await storage.commit(tenant, [start], options)).done ? 'started' : 'refused';
  const value = concurrency.by === undefined ? null : propertyOf(row, concurrency.by);
  for (let number = 0; number < concurrency.limit; number += 1) {
    const id = idOfContent('slot', JSON.stringify([tenant, row.functionId, value, number]));
    // A read costs less than a commit that is refused.
    if (await storage.get(tenant, 'executionSlots', id)) continue;
    const slot = { id, revision: 1, executionId: row.id, createdAt: timestamp(clock) };
    const result = await storage.commit(tenant, [start, { insert: 'executionSlots', row: slot }], options);
    if (result.done) return 'started';
    if (result.index === 0) return 'refused';
  }
  return new PatchbayError('concurrency_limited', tooMany, { retryAfter: 1 });
}

function propertyOf(
  { input, effectiveInput }: Pick<ExecutionRow, 'input' | 'effectiveInput'>,
  name: string,
): JsonValue {
  const all = effectiveInput ?? input;
  return Object.hasOwn(all, name) ? (all[name] as JsonValue) : null;
}

/** The writes that free the slot of an execution, in the commit of its end. */
export function freeSlot({ id, policy }: Pick<ExecutionRow, 'id' | 'policy'>): readonly Write[] {
  return policy?.concurrency ? [{ deleteWhere: 'executionSlots', where: { executionId: id } }] : [];
}

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

interface LateStartParts {
  readonly commit: () => Promise<void>;
  /** It is to be stored later. */
  readonly onWaiting: () => void;
  readonly onEnd: () => void;
}

/** The start of one run. */
export class LateStart {
  readonly #parts: LateStartParts;
  #writing: Promise<void> | undefined;
  #isOver = false;
  /** It has waited for a tick. */
  isDue = false;

  constructor(parts: LateStartParts) {
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
