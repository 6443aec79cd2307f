import { isDeepStrictEqual } from 'node:util';
import type { ExecutionLimits } from '@patchbay/contracts/executor';
import type { Limits } from '@patchbay/contracts/limits';
import type { RateLimiter } from '@patchbay/contracts/rate-limiter';
import { createSchemaService, type SchemaService } from '@patchbay/contracts/schema/schema-service';
import { sweepSessions } from '../access/session-service.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import { createMemoryRateLimiter } from '../built-in/memory-rate-limiter.ts';
import { createContentRecorder } from '../call-content/content-recorder.ts';
import { contentRetention, sweepContents } from '../call-content/sweep-contents.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import { createWebhookOutbox, type WebhookOutbox } from '../events/webhook-outbox.ts';
import { createExecutionBackground } from '../functions/executions/background.ts';
import { ExecutionEngine } from '../functions/executions/execution-engine.ts';
import { InstanceLease, readProcessIdentity } from '../functions/executions/instance-lease.ts';
import { createRunExecution } from '../functions/executions/run-execution.ts';
import { createNameObserver } from '../functions/observed-names/name-observer.ts';
import { pauseOfLostKeys } from '../functions/schedules/lost-keys.ts';
import { ScheduleRunner } from '../functions/schedules/schedule-runner.ts';
import { createTaskRecords, sweepTaskRecords } from '../gateway/model-performance/task-records.ts';
import { createIdempotencyService, sweepIdempotencyKeys } from '../idempotency/create-idempotency-service.ts';
import { guardAuthentication } from '../limits/guard-authentication.ts';
import { type InsuredRateLimiter, insureRateLimiter } from '../limits/insured-rate-limiter.ts';
import { createBodyMemory, createConcurrencyCaps } from '../limits/request-limits.ts';
import { type CursorCodec, createCursorCodec } from '../paging/cursor.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { type Budgets, createBudgets } from '../usage/budgets.ts';
import { createCallRecordService } from '../usage/call-record-service.ts';
import { type CallRecorder, createCallRecorder } from '../usage/call-records.ts';
import { sweepCallRecords } from '../usage/sweep-call-records.ts';
import { createUsageWriter } from '../usage/usage-hours.ts';
import { createUsageLedger, createUsageMeter, sweepUsage, type UsageMeter } from '../usage/usage-ledger.ts';
import { createUsageService } from '../usage/usage-service.ts';
import type { AppServices } from './app.ts';
import { composeWebhooks } from './compose-webhooks.ts';
import type { Platform } from './platform.ts';
import type { ServicesInForce } from './services.ts';

/** State that outlives a reload: counters, caches and background work. */
export type Resources = ReturnType<typeof openResources>;

const SWEEP_MS = 60_000;
/** Their size is estimated from some rows of each tenant. */
const CALL_RECORDS_MS = 600_000;

/** Milliseconds between attempts to write rows that the storage could not accept. */
const SETTLE_MS = 2_000;

const OBSERVED_MS = 5_000;

const LEARNED_MS = 5_000;

/**
 * @param inForce Read while requests are served, never while the resources are opened.
 * @param leaseMs Milliseconds for which an instance counts as alive after its last renewal.
 * @param rateLimiter Undefined: requests are counted in this process.
 */
export function openResources(
  platform: Platform,
  inForce: ServicesInForce,
  leaseMs: number,
  rateLimiter: RateLimiter | undefined,
) {
  const { storage, queue, clock, logger, measuring, rootSecret } = platform;
  const cursors = createCursorCodec(rootSecret);
  const outbox = createWebhookOutbox({ storage, queue, clock });
  const audit = createAuditLog({ storage, clock, rootSecret, cursors, outbox });
  const schemas = createSchemaService();
  const limiter = openRateLimiter(platform, rateLimiter);
  const isDraining = (): boolean => executions.engine.running.isDraining;
  const usage = openUsage(platform, cursors, isDraining, inForce);
  const executions = openExecutions(
    platform,
    { schemas, limiter, meter: usage.meter, records: usage.calls, outbox, leaseMs },
    inForce,
  );
  const schedules = new ScheduleRunner({
    storage,
    schemas,
    queue,
    clock,
    logger,
    audit,
    outbox,
    settings: () => inForce.current.api.settings,
    maxQueued: () => inForce.executionOptions().maxQueued,
  });
  const observer = createNameObserver({ storage, clock, logger });
  const onRecordRejected = rejectionCounter(measuring, 'taskRecords');
  const taskRecords = createTaskRecords({ storage, clock, logger, onRejected: onRecordRejected });
  const webhooks = composeWebhooks(platform, audit, cursors, () => inForce.current.config.webhooks);
  const idempotency = createIdempotencyService({ storage, rootSecret, clock, logger, instance: executions.instance });
  const onRejected = rejectionCounter(measuring, 'webhookEvents');
  return {
    cursors,
    audit,
    outbox,
    schemas,
    limiter,
    caps: createConcurrencyCaps(inForce.limits),
    bodies: createBodyMemory(inForce.limits),
    guard: createAuthenticationGuard(platform, inForce),
    usage,
    executions,
    schedules,
    idempotency,
    webhooks,
    recorder: createEventRecorder({ storage, outbox, clock, logger, onRejected }),
    observer,
    taskRecords,
    chores: [
      ...executions.background.chores,
      ...webhooks.dispatcher.chores,
      { name: 'comparing schedules with the clock', everyMs: SWEEP_MS, run: () => schedules.followClock() },
      {
        name: 'comparing schedules with keys',
        everyMs: SWEEP_MS,
        run: () => pauseOfLostKeys({ storage, audit, clock }),
      },
      { name: 'settling idempotency keys', everyMs: SETTLE_MS, run: () => idempotency.settleLeft() },
      { name: 'sweeping idempotency keys', everyMs: SWEEP_MS, run: () => sweepIdempotencyKeys(storage, clock) },
      { name: 'sweeping sessions', everyMs: SWEEP_MS, run: () => sweepSessions(storage, clock) },
      { name: 'storing observed names', everyMs: OBSERVED_MS, run: () => observer.flush() },
      { name: 'storing task records', everyMs: LEARNED_MS, run: () => taskRecords.flush() },
      { name: 'sweeping task records', everyMs: SWEEP_MS, run: () => sweepTaskRecords(storage, clock) },
      {
        name: 'sweeping usage',
        everyMs: SWEEP_MS,
        run: () => sweepUsage(storage, clock, inForce.current.config.usage.retentionDays),
      },
      {
        name: 'sweeping call records',
        everyMs: CALL_RECORDS_MS,
        run: () => sweepCallRecords(storage, clock, inForce.callRecordOptions()),
      },
      {
        name: 'sweeping the content of calls',
        everyMs: CALL_RECORDS_MS,
        run: () => sweepContents(storage, clock, contentRetention(inForce.callRecordOptions())),
      },
    ],
    /** Health of resources without a plugin, by name. */
    health: { limits: () => limiter.health() },
  };
}

function openRateLimiter({ clock, logger, measuring }: Platform, primary: RateLimiter | undefined): InsuredRateLimiter {
  const standIn = createMemoryRateLimiter(clock);
  const onStandIn = () => measuring.count('patchbay.limit.unshared', 1);
  if (primary) return insureRateLimiter({ primary, standIn, clock, logger, onStandIn });
  return { ...standIn, health: async () => ({ status: 'pass' }) };
}

/**
 * Guards authentication according to the limits; an address under suspicion stays so while these limits are unchanged.
 */
function createAuthenticationGuard({ clock }: Platform, inForce: ServicesInForce) {
  const { authenticate } = inForce;
  let kept:
    | { readonly limit: Limits['failedAuthentication']; readonly guarded: AppServices['authenticate'] }
    | undefined;
  return ({ off, failedAuthentication: limit }: Limits): AppServices['authenticate'] => {
    if (off) return authenticate;
    if (kept === undefined || !isDeepStrictEqual(kept.limit, limit)) {
      kept = { limit, guarded: guardAuthentication(authenticate, limit, clock) };
    }
    return kept.guarded;
  };
}

function openUsage(
  { storage, clock, logger, measuring, rootSecret, hide }: Platform,
  cursors: CursorCodec,
  isDraining: () => boolean,
  inForce: ServicesInForce,
) {
  const rejected = {
    usageEntries: rejectionCounter(measuring, 'usageEntries'),
    callRecords: rejectionCounter(measuring, 'callRecords'),
  };
  const ledger = createUsageLedger({
    writer: createUsageWriter(storage, clock),
    logger,
    onStored: (tenant, entry) => budgets.stored(tenant, entry),
    onRejected: (collection) => rejected[collection](),
  });
  const { limits, policyOf, callRecordOptions: options } = inForce;
  const budgets: Budgets = createBudgets({ storage, clock, ledger, limits, policyOf });
  const meter = createUsageMeter(ledger, clock, budgets);
  const box = createSecretBox(rootSecret);
  const contents = createContentRecorder({
    storage,
    box,
    logger,
    options,
    hide,
    onDropped: rejectionCounter(measuring, 'callContents'),
  });
  const calls = createCallRecorder(ledger, clock, { options, recorder: contents });
  const callRecords = createCallRecordService({ storage, clock, cursors, ledger, contents, box, isDraining });
  const service = createUsageService({ storage, clock, ledger, limits, policyOf });
  return { meter, ledger, calls, contents, callRecords, budgets, service };
}

/** Counts rows that the storage rejected; starts at 0, so that the first one shows as an increase. */
function rejectionCounter(
  { count }: Measuring,
  collection: 'usageEntries' | 'callRecords' | 'callContents' | 'taskRecords' | 'webhookEvents',
): () => void {
  count('patchbay.storage.rejected', 0, { collection });
  return () => count('patchbay.storage.rejected', 1, { collection });
}

function openExecutions(
  { storage, queue, clock, logger, measuring, stopping, onRun }: Platform,
  shared: {
    readonly schemas: SchemaService;
    readonly limiter: RateLimiter;
    readonly meter: UsageMeter;
    readonly records: CallRecorder;
    readonly outbox: WebhookOutbox;
    readonly leaseMs: number;
  },
  inForce: ServicesInForce,
) {
  const { schemas, limiter, meter, records, outbox, leaseMs } = shared;
  const { openHostCalls, executionOptions: options } = inForce;
  const identity = readProcessIdentity();
  const instance = new InstanceLease({ storage, clock, logger, identity, leaseMs });
  const run = createRunExecution({ schemas, clock, stopping, meter, records, measuring, openHostCalls, onRun });
  const engine = new ExecutionEngine({ run, storage, clock, logger, instance, limiter, measuring, outbox });
  const limits = (): ExecutionLimits => {
    const { asyncTimeoutMs, outputBytes, logBytes } = options();
    return { wallMs: asyncTimeoutMs, outputBytes, logBytes };
  };
  const background = createExecutionBackground({
    engine,
    queue,
    executor: () => inForce.current.executor,
    identity,
    limits,
    options,
    requestLimits: () => inForce.current.api.limits,
  });
  return { instance, engine, background };
}
