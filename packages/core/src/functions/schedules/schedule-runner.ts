import { RecurringFailure } from '@patchbay/contracts/base/recurring-failure';
import { idOfMoment } from '@patchbay/contracts/base/type-id';
import type { Logger } from '@patchbay/contracts/context';
import type { ScheduleRow } from '@patchbay/contracts/rows';
import type { Changes } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { lostItsKey } from '../../access/lost-its-key.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { executionTopic, restoredPrincipal } from '../executions/queued-executions.ts';
import { type DueTime, dueTime } from './due-time.ts';
import { MAX_SCHEDULES, pauseWithoutKey } from './lost-keys.ts';
import { scheduleTimes } from './schedule-times.ts';
import { type ScheduledParts, scheduledExecution } from './scheduled-execution.ts';

export interface ScheduleRunnerParts extends ScheduledParts {
  readonly audit: AuditLog;
  readonly logger: Logger;
}

/** Schedules that are read in one poll. */
const BATCH = 100;

/**
 * Milliseconds between polls while nothing is due: the clock may be set, and other servers create schedules as well.
 */
const LOOK_MS = 5_000;

/** Milliseconds to the next poll after one that could not do everything. */
const RETRY_MS = 1_000;

/** Clocks of servers differ by less than this, and clocks that are set back go back further. */
const SET_BACK_MS = 60_000;

/**
 * Creates an execution for every time of every schedule. Each server polls on its own, and the rows decide: the
 * execution has an id derived from the schedule and the time, and is written in one commit with the next time of the
 * schedule, on condition that the schedule is as it was read. So exactly one server creates it, and a server that hangs
 * or dies delays nothing.
 */
export class ScheduleRunner {
  readonly #parts: ScheduleRunnerParts;
  readonly #failure: RecurringFailure;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = true;

  constructor(parts: ScheduleRunnerParts) {
    this.#parts = parts;
    this.#failure = new RecurringFailure({
      logger: parts.logger,
      failing: 'the schedules could not be read; it is retried',
      over: 'the schedules are read again',
    });
  }

  start(): void {
    this.#isStopped = false;
    this.#lookAfter(0);
  }

  /** Poll now: a schedule was written. */
  wake(): void {
    if (!this.#isStopped && this.#looking === undefined) this.#lookAfter(0);
  }

  /** Create no more executions. Resolves when a poll in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .then((waitMs) => {
          this.#failure.succeeded();
          return waitMs;
        })
        .catch((error: unknown) => {
          this.#failure.failed(error);
          return RETRY_MS;
        })
        .then((waitMs) => {
          this.#looking = undefined;
          if (!this.#isStopped) this.#lookAfter(waitMs);
        });
    }, ms).unref();
  }

  /** Create the executions that are due. @returns The milliseconds until the next poll. */
  async look(): Promise<number> {
    const { storage, clock } = this.#parts;
    const found = await storage.scanAllTenants('schedules', { state: 'active' }, BATCH, 'nextAt');
    const now = clock.now();
    const due = found.filter(({ row }) => Date.parse(row.nextAt) <= now);
    const made = await Promise.all(due.map(({ tenant, row }) => this.#runDue(tenant, row)));
    if (made.includes(false)) return RETRY_MS;
    if (due.length > 0) return 0;
    const [first] = found;
    return first === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, Date.parse(first.row.nextAt) - clock.now()));
  }

  /** Let schedules continue whose next time is far ahead, because the clock was set back. */
  async followClock(): Promise<void> {
    const { storage, clock } = this.#parts;
    for (const { tenant, row } of await storage.scanAllTenants('schedules', { state: 'active' }, MAX_SCHEDULES)) {
      const next = (await scheduleTimes(row)).next(clock.now());
      if (next === undefined || Date.parse(row.nextAt) - next <= SET_BACK_MS) continue;
      await this.#update(tenant, row, { nextAt: new Date(next).toISOString() });
    }
  }

  /** @returns False if the schedule is still due: it is retried. */
  async #runDue(tenant: TenantId, row: ScheduleRow): Promise<boolean> {
    try {
      await this.#run(tenant, row);
      return true;
    } catch (error) {
      this.#parts.logger.warn('a schedule could not run; it is tried again', { scheduleId: row.id, error });
      return false;
    }
  }

  async #run(tenant: TenantId, schedule: ScheduleRow): Promise<void> {
    const { storage, clock, logger, queue, outbox } = this.#parts;
    const source = await storage.get(tenant, 'functions', schedule.functionId);
    const caller = restoredPrincipal(tenant, schedule.principal);
    if (source === undefined) return void (await storage.commit(tenant, [{ delete: 'schedules', id: schedule.id }]));
    if (await lostItsKey(this.#parts, caller)) return await pauseWithoutKey(this.#parts, tenant, schedule);
    const due = dueTime(await scheduleTimes(schedule), schedule, clock.now());
    const set = timesOf(due);
    if (set.lastMissedAt) logger.warn('a schedule has missed its time', { scheduleId: schedule.id, ...set });
    if (due.at === undefined) return await this.#update(tenant, schedule, set);

    const at = new Date(due.at).toISOString();
    const id = idOfMoment('execution', due.at, JSON.stringify([tenant, schedule.id]));
    const { writes, ...run } = await scheduledExecution(this.#parts, { id, schedule, source, caller, at });
    const update = {
      update: 'schedules',
      id: schedule.id,
      set: { ...set, ...run.set },
      ifRevision: schedule.revision,
    } as const;
    const result = await storage.commit(tenant, [update, ...writes]);
    if (result.done) {
      queue.notify(executionTopic);
      if (run.row.status === 'failed') outbox?.notify();
    } else if (result.reason === 'exists') {
      // The clock was set back, and the time is reached again.
      await this.#update(tenant, schedule, set);
    }
  }

  /** It is fine if the commit is refused: another server was faster, or the schedule was changed. */
  async #update(tenant: TenantId, { id, revision: ifRevision }: ScheduleRow, set: Changes<'schedules'>): Promise<void> {
    await this.#parts.storage.commit(tenant, [{ update: 'schedules', id, set, ifRevision }]);
  }
}

/** For a pattern that has no more times. */
const NEVER = Date.UTC(9999, 11, 31);

function timesOf({ missedAt, nextAt = NEVER }: DueTime): Changes<'schedules'> {
  const missed = missedAt === undefined ? {} : { lastMissedAt: new Date(missedAt).toISOString() };
  return { ...missed, nextAt: new Date(nextAt).toISOString() };
}
