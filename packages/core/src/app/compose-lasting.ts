import { type AuditLog, createAuditLog } from '../audit/audit-log.ts';
import type { Chore } from '../base/housekeeping.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { Limits } from '../contracts/limits-config.ts';
import { createMemoryRateLimiter } from '../defaults/memory-rate-limiter.ts';
import { createEventRecorder, type EventRecorder } from '../events/event-recorder.ts';
import { createWebhookOutbox } from '../events/webhook-outbox.ts';
import type { ExecutionBackground } from '../functions/executions/background.ts';
import type { ExecutionEngine } from '../functions/executions/execution-engine.ts';
import { createNameObserver, type NameObserver } from '../functions/observed-names/name-observer.ts';
import { createIdempotencyService } from '../idempotency/create-idempotency-service.ts';
import type { IdempotencyService } from '../idempotency/idempotency-service.ts';
import { sweepIdempotencyKeys } from '../idempotency/sweep-idempotency-keys.ts';
import { type ConcurrencyCaps, createConcurrencyCaps } from '../limits/concurrency-caps.ts';
import { type InsuredRateLimiter, insureRateLimiter } from '../limits/insured-rate-limiter.ts';
import { type CursorCodec, createCursorCodec } from '../paging/cursor.ts';
import { createSchemaCache, type SchemaCache } from '../schema/schema-cache.ts';
import { sweepUsage } from '../usage/sweep-usage.ts';
import { type AuthenticationGuard, createAuthenticationGuard } from './compose-authentication.ts';
import { composeExecutions } from './compose-executions.ts';
import type { Generation, ServiceParts } from './compose-services.ts';
import { type ComposedUsage, composeUsage } from './compose-usage.ts';
import { type ComposedWebhooks, composeWebhooks } from './compose-webhooks.ts';
import { standIn } from './stand-in.ts';

/** What outlives a reload: whatever counts, keeps or works in the background. */
export interface Lasting {
  /** What is in force now; asked for once everything has started. */
  readonly current: () => Generation;
  readonly cursors: CursorCodec;
  readonly audit: AuditLog;
  readonly schemas: SchemaCache;
  readonly limiter: InsuredRateLimiter;
  readonly caps: ConcurrencyCaps;
  readonly guard: AuthenticationGuard;
  readonly usage: ComposedUsage;
  readonly engine: ExecutionEngine;
  readonly idempotency: IdempotencyService;
  readonly webhooks: ComposedWebhooks;
  /** Stopped once nothing is under way any more. */
  readonly recorder: EventRecorder;
  /** The same. */
  readonly observer: NameObserver;
  /** What is done for executions that nobody waits for. */
  readonly background: ExecutionBackground;
  readonly chores: readonly Chore[];
  /** How those are that no plugin stands for. */
  readonly health: Readonly<Record<string, () => Promise<Health>>>;
}

/** Milliseconds between two looks at what has expired. */
const SWEEP_MS = 60_000;

/** How often what could not be written while the storage was away is tried again. */
const SETTLE_MS = 2_000;

/** Milliseconds that an observed name waits in memory at most. */
const OBSERVED_MS = 5_000;

/** @param current What is in force now; asked for once everything has started. */
export function composeLasting(parts: ServiceParts, current: () => Generation): Lasting {
  const { storage, clock, rootSecret } = parts;
  const cursors = createCursorCodec(rootSecret);
  const outbox = createWebhookOutbox(parts);
  const recorder = createEventRecorder({ ...parts, outbox });
  const audit = createAuditLog({ storage, clock, rootSecret, cursors, outbox });
  const schemas = createSchemaCache();
  const limits = standIn<Limits>(['off', 'key', 'tenant', 'failedAuthentication'], () => current().limits);
  const limiter = composeRateLimiter(parts);
  const usage = composeUsage({ ...parts, limits, policyOf: (tenant) => current().policyOf(tenant) });
  const executor = standIn<Executor>(['prepare', 'execute'], () => current().executor);
  const { engine, background } = composeExecutions(
    { ...parts, executor, schemas, meter: usage.meter, outbox, openHostCalls: (run) => current().openHostCalls(run) },
    () => current().executions,
  );
  const observer = createNameObserver(parts);
  const webhooks = composeWebhooks({ ...parts, audit, cursors }, () => current().webhooks);
  const idempotency = createIdempotencyService({ ...parts, instance: engine.parts.instance });
  return {
    current,
    cursors,
    audit,
    schemas,
    limiter,
    caps: createConcurrencyCaps(limits),
    guard: createAuthenticationGuard((credentials) => current().authenticate(credentials), clock),
    usage,
    engine,
    idempotency,
    webhooks,
    recorder,
    observer,
    background,
    chores: [
      ...background.chores,
      ...webhooks.dispatcher.chores,
      { name: 'settling idempotency keys', everyMs: SETTLE_MS, run: () => idempotency.settleLeft() },
      { name: 'sweeping idempotency keys', everyMs: SWEEP_MS, run: () => sweepIdempotencyKeys(storage, clock) },
      { name: 'writing down observed names', everyMs: OBSERVED_MS, run: () => observer.flush() },
      {
        name: 'sweeping usage',
        everyMs: SWEEP_MS,
        run: () => sweepUsage(storage, clock, current().usage.retentionDays),
      },
    ],
    health: { limits: () => limiter.health() },
  };
}

function composeRateLimiter({ rateLimiter, clock, logger, measuring }: ServiceParts): InsuredRateLimiter {
  const standingIn = createMemoryRateLimiter(clock);
  const onStandIn = () => measuring.count('patchbay.limit.unshared', 1);
  if (rateLimiter) return insureRateLimiter({ primary: rateLimiter, standIn: standingIn, clock, logger, onStandIn });
  return { ...standingIn, health: async () => ({ status: 'pass' }) };
}
