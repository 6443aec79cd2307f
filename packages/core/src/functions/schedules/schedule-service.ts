import { laterThan, timestamp } from '@patchbay/contracts/base/clock';
import { deletionError, findRow, notFound, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { idOfContent, newId } from '@patchbay/contracts/base/type-id';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { ExecutionRow, FunctionRow, ScheduleRow } from '@patchbay/contracts/rows';
import type { Changes, Storage } from '@patchbay/contracts/storage';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../../paging/list-page.ts';
import { completeInput } from '../executions/admission.ts';
import { type ExecutionSummary, executionSummary } from '../executions/execution-service.ts';
import { executionTopic, storedPrincipal } from '../executions/queued-executions.ts';
import { checkedTimes } from './checked-times.ts';
import { scheduleTimes } from './schedule-times.ts';
import { type ScheduledParts, scheduledExecution } from './scheduled-execution.ts';

/** When a function runs, and with which input. */
export interface ScheduleInput extends Partial<Pick<ScheduleRow, 'overlap' | 'catchUp'>> {
  /** Unique among the schedules of the function. Default `default`. */
  readonly name?: string;
  /** Pattern of five fields, or of six with the seconds first. */
  readonly cron?: string;
  /** Interval such as `90s`, `5m`, `1h` or `7d`. */
  readonly every?: string;
  /** IANA name of the time zone of `cron`. Default `UTC`. */
  readonly timezone?: string;
  /** Default: no members. */
  readonly input?: JsonObject;
  /** Default true. */
  readonly enabled?: boolean;
}

/** Scheduled runs of functions. A schedule runs as the caller that last wrote or resumed it. */
export interface ScheduleService {
  /**
   * @throws PatchbayError `function_not_found`, `input_invalid`; `invalid_request` for times that cannot be read; `conflict`
   *   if the function has a schedule with this name, or 100 others.
   */
  create(functionId: string, input: ScheduleInput, context: RequestContext): Promise<ScheduleRow>;
  /** @throws PatchbayError `function_not_found`. */
  list(functionId: string, page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<ScheduleRow>>;
  /** @throws PatchbayError `function_not_found`, `schedule_not_found`. */
  get(functionId: string, id: string, context: RequestContext): Promise<ScheduleRow>;
  /** @throws PatchbayError as `create`; `schedule_not_found`. */
  replace(functionId: string, id: string, input: ScheduleInput, context: RequestContext): Promise<ScheduleRow>;
  /** Its executions stay. @throws PatchbayError `function_not_found`, `schedule_not_found`. */
  delete(functionId: string, id: string, context: RequestContext): Promise<void>;
  /** @throws PatchbayError `function_not_found`, `schedule_not_found`. */
  pause(functionId: string, id: string, context: RequestContext): Promise<ScheduleRow>;
  /**
   * Times that passed while it was paused are not caught up on. @throws PatchbayError `function_not_found`,
   * `schedule_not_found`.
   */
  resume(functionId: string, id: string, context: RequestContext): Promise<ScheduleRow>;
  /**
   * The times after now, even for a paused schedule. @throws PatchbayError `function_not_found`, `schedule_not_found`.
   */
  nextRuns(functionId: string, id: string, count: number, context: RequestContext): Promise<readonly string[]>;
  /**
   * Enqueue a run now, on behalf of the caller.
   *
   * @throws PatchbayError `function_not_found`, `schedule_not_found`, `input_invalid`, `concurrency_limited`.
   */
  run(functionId: string, id: string, context: RequestContext): Promise<ExecutionRow>;
  /** Its executions. @throws PatchbayError `function_not_found`, `schedule_not_found`. */
  listExecutions(
    functionId: string,
    id: string,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<ExecutionSummary>>;
}

export interface ScheduleDependencies extends ScheduledParts {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly cursors: CursorCodec;
  /** Makes the server check for schedules that are due. */
  readonly wake: () => void;
}

/** Schedules of one function. */
const MAX_SCHEDULES = 100;

const tooMany = 'too many concurrent changes to the schedule; try again';

export function createScheduleService(dependencies: ScheduleDependencies): ScheduleService {
  const { storage, audit, clock, queue, schemas, wake } = dependencies;

  const findFunction = (id: string, context: RequestContext): Promise<FunctionRow> =>
    findRow(storage, 'functions', id, context);

  const get: ScheduleService['get'] = async (functionId, id, context) => {
    await findFunction(functionId, context);
    const row = await findRow(storage, 'schedules', id, context);
    if (row.functionId !== functionId) throw notFound('schedules');
    return row;
  };

  /** The definition of a schedule, with defaults filled in. */
  const defined = async (source: FunctionRow, given: ScheduleInput, createdAt: string, context: RequestContext) => {
    const { input = {}, overlap = 'skip', catchUp = 'none', enabled = true } = given;
    const { nextAt, ...times } = await checkedTimes(given, createdAt, clock);
    await completeInput(source, input, schemas, context.caller.tenant);
    return { ...times, input, overlap, catchUp, ...stateOf(enabled), nextAt };
  };

  const writtenBy = ({ caller }: RequestContext) => ({
    updatedBy: caller.id,
    principal: storedPrincipal(caller),
  });

  /** Change a schedule, which runs as the caller from then on. */
  const change = async (
    row: ScheduleRow,
    changes: Changes<'schedules'>,
    context: RequestContext,
  ): Promise<ScheduleRow | undefined> => {
    const { id, functionId, revision } = row;
    const set = { ...changes, ...writtenBy(context), updatedAt: laterThan(row.updatedAt, clock) };
    const result = await audit.commit(context, [{ update: 'schedules', id, set, ifRevision: revision }], {
      action: 'schedule.updated',
      resource: resource(id),
      details: { functionId, state: changes.state ?? row.state },
    });
    if (!result.done) return undefined;
    wake();
    return { ...row, ...set, revision: revision + 1 };
  };

  const setState = (functionId: string, id: string, isEnabled: boolean, context: RequestContext) =>
    retryRefused(tooMany, async () => {
      const row = await get(functionId, id, context);
      const next = isEnabled ? (await scheduleTimes(row)).next(clock.now()) : undefined;
      const times = next === undefined ? {} : { nextAt: new Date(next).toISOString() };
      return await change(row, { ...stateOf(isEnabled), ...times }, context);
    });

  return {
    get,

    async create(functionId, input, context) {
      const source = await findFunction(functionId, context);
      const { name = 'default' } = input;
      const createdAt = timestamp(clock);
      const row: ScheduleRow = {
        id: idOfContent('schedule', JSON.stringify([context.caller.tenant, functionId, name])),
        revision: 1,
        functionId,
        name,
        ...(await defined(source, input, createdAt, context)),
        lastMissedAt: null,
        lastExecutionId: null,
        createdAt,
        createdBy: context.caller.id,
        updatedAt: createdAt,
        ...writtenBy(context),
      };
      const query = { where: { functionId }, sort: 'createdAt', order: 'asc', limit: 1, select: ['id'] } as const;
      const { total } = await storage.list(context.caller.tenant, 'schedules', query);
      if (total >= MAX_SCHEDULES) {
        throw new PatchbayError('conflict', `a function has at most ${MAX_SCHEDULES} schedules`);
      }
      const { done } = await audit.commit(context, [{ insert: 'schedules', row }], {
        action: 'schedule.created',
        resource: resource(row.id),
        details: { functionId, name },
      });
      if (!done) throw new PatchbayError('conflict', `the function has a schedule with the name ${name}`);
      wake();
      return row;
    },

    async list(functionId, page, context) {
      await findFunction(functionId, context);
      return await listPage(dependencies, { collection: 'schedules', where: { functionId }, page }, context);
    },

    async replace(functionId, id, input, context) {
      const source = await findFunction(functionId, context);
      return await retryRefused(tooMany, async () => {
        const row = await get(functionId, id, context);
        if (input.name !== undefined && input.name !== row.name) throw renamed();
        return await change(row, await defined(source, input, row.createdAt, context), context);
      });
    },

    async delete(functionId, id, context) {
      await get(functionId, id, context);
      const result = await audit.commit(context, [{ delete: 'schedules', id }], {
        action: 'schedule.deleted',
        resource: resource(id),
        details: { functionId },
      });
      if (!result.done) throw deletionError('schedules', result.reason);
    },

    pause: (functionId, id, context) => setState(functionId, id, false, context),

    resume: (functionId, id, context) => setState(functionId, id, true, context),

    async nextRuns(functionId, id, count, context) {
      const times = await scheduleTimes(await get(functionId, id, context));
      const found: string[] = [];
      for (let at = times.next(clock.now()); at !== undefined && found.length < count; at = times.next(at)) {
        found.push(new Date(at).toISOString());
      }
      return found;
    },

    async run(functionId, id, context) {
      const source = await findFunction(functionId, context);
      return await retryRefused(tooMany, async () => {
        const schedule = await get(functionId, id, context);
        const given = { id: newId('execution'), schedule, source, caller: context.caller, at: null };
        const { row, writes, set } = await scheduledExecution(dependencies, given);
        const update = { update: 'schedules', id, set, ifRevision: schedule.revision } as const;
        const { done } = await storage.commit(context.caller.tenant, [update, ...writes]);
        if (!done) return undefined;
        queue.notify(executionTopic);
        return row;
      });
    },

    async listExecutions(functionId, id, page, context) {
      await get(functionId, id, context);
      const query = { collection: 'executions', where: { scheduleId: id }, page, select: executionSummary } as const;
      return await listPage(dependencies, query, context);
    },
  };
}

const resource = (id: string) => ({ type: 'schedule', id });

function stateOf(isEnabled: boolean): Pick<ScheduleRow, 'state' | 'pausedReason'> {
  return isEnabled ? { state: 'active', pausedReason: null } : { state: 'paused', pausedReason: 'requested' };
}

function renamed(): PatchbayError {
  const detail = 'cannot be changed: delete the schedule and create another one';
  return new PatchbayError('invalid_request', 'a schedule keeps its name', {
    errors: [{ pointer: '/name', code: 'immutable', detail }],
  });
}
