import { type AuditLog, createAuditLog } from '../audit/audit-log.ts';
import type { Chore } from '../base/housekeeping.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { RateLimiter } from '../contracts/rate-limiter.ts';
import { createMemoryRateLimiter } from '../defaults/memory-rate-limiter.ts';
import { createEventRecorder, type EventRecorder } from '../events/event-recorder.ts';
import { createWebhookOutbox } from '../events/webhook-outbox.ts';
import { createNameObserver, type NameObserver } from '../functions/observed-names/name-observer.ts';
import { createIdempotencyService } from '../idempotency/create-idempotency-service.ts';
import type { IdempotencyService } from '../idempotency/idempotency-service.ts';
import { sweepIdempotencyKeys } from '../idempotency/sweep-idempotency-keys.ts';
import { type ConcurrencyCaps, createConcurrencyCaps } from '../limits/concurrency-caps.ts';
import { type InsuredRateLimiter, insureRateLimiter } from '../limits/insured-rate-limiter.ts';
import { type CursorCodec, createCursorCodec } from '../paging/cursor.ts';
import { createSchemaService, type SchemaService } from '../schema/schema-service.ts';
import { sweepUsage } from '../usage/usage-ledger.ts';
import { type AuthenticationGuard, createAuthenticationGuard } from './compose-authentication.ts';
import { type ComposedExecutions, composeExecutions } from './compose-executions.ts';
import { type ComposedUsage, composeUsage } from './compose-usage.ts';
import { type ComposedWebhooks, composeWebhooks } from './compose-webhooks.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';
import type { Swap } from './swap.ts';

/** Everything that outlives a reload because it counts, caches or works in the background. */
export interface Resources {
  readonly cursors: CursorCodec;
  readonly audit: AuditLog;
  readonly schemas: SchemaService;
  readonly limiter: InsuredRateLimiter;
  readonly caps: ConcurrencyCaps;
  readonly guard: AuthenticationGuard;
  readonly usage: ComposedUsage;
  readonly executions: ComposedExecutions;
  readonly idempotency: IdempotencyService;
  readonly webhooks: ComposedWebhooks;
  readonly recorder: EventRecorder;
  readonly observer: NameObserver;
  /** Periodic tasks of all of these. */
  readonly chores: readonly Chore[];
  /** Health of what no plugin stands for, by name. */
  readonly health: Readonly<Record<string, () => Promise<Health>>>;
}

/** Milliseconds between two searches for expired rows. */
const SWEEP_MS = 60_000;

/** Milliseconds between two attempts to write what the storage could not take. */
const SETTLE_MS = 2_000;

/** Milliseconds that an observed name waits in memory at most. */
const OBSERVED_MS = 5_000;

/** Settings of resources that only a restart changes. */
export interface FixedOptions {
  /** Milliseconds for which an instance counts as alive after its last renewal. */
  readonly leaseMs: number;
  /** Undefined: requests are counted in this process. */
  readonly rateLimiter: RateLimiter | undefined;
}

/** @param inForce Read while requests are served, never while the resources are opened. */
export function openResources(
  platform: Platform,
  { leaseMs, rateLimiter }: FixedOptions,
  inForce: Swap<Services>,
): Resources {
  const { storage, queue, clock, logger, rootSecret } = platform;
  const limits = () => inForce.current.config.limits;
  const cursors = createCursorCodec(rootSecret);
  const outbox = createWebhookOutbox({ storage, queue, clock });
  const audit = createAuditLog({ storage, clock, rootSecret, cursors, outbox });
  const schemas = createSchemaService();
  const limiter = openRateLimiter(platform, rateLimiter);
  // From the start, so that the first one shows as an increase.
  platform.measuring.count('patchbay.storage.rejected', 0, { collection: 'webhookEvents' });
  const usage = composeUsage(platform, limits, (tenant) => inForce.current.policyOf(tenant));
  const executions = composeExecutions({ platform, schemas, meter: usage.meter, outbox, leaseMs, inForce });
  const observer = createNameObserver({ storage, clock, logger });
  const webhooks = composeWebhooks({ platform, audit, cursors, options: () => inForce.current.config.webhooks });
  const idempotency = createIdempotencyService({ storage, rootSecret, clock, logger, instance: executions.instance });
  return {
    cursors,
    audit,
    schemas,
    limiter,
    caps: createConcurrencyCaps(limits),
    guard: createAuthenticationGuard((credentials) => inForce.current.authenticate(credentials), clock),
    usage,
    executions,
    idempotency,
    webhooks,
    recorder: createEventRecorder({
      storage,
      outbox,
      clock,
      logger,
      onRejected: () => platform.measuring.count('patchbay.storage.rejected', 1, { collection: 'webhookEvents' }),
    }),
    observer,
    chores: [
      ...executions.background.chores,
      ...webhooks.dispatcher.chores,
      { name: 'settling idempotency keys', everyMs: SETTLE_MS, run: () => idempotency.settleLeft() },
      { name: 'sweeping idempotency keys', everyMs: SWEEP_MS, run: () => sweepIdempotencyKeys(storage, clock) },
      { name: 'storing observed names', everyMs: OBSERVED_MS, run: () => observer.flush() },
      {
        name: 'sweeping usage',
        everyMs: SWEEP_MS,
        run: () => sweepUsage(storage, clock, inForce.current.config.usage.retentionDays),
      },
    ],
    health: { limits: () => limiter.health() },
  };
}

function openRateLimiter(
  { clock, logger, measuring }: Pick<Platform, 'clock' | 'logger' | 'measuring'>,
  primary: RateLimiter | undefined,
): InsuredRateLimiter {
  const standIn = createMemoryRateLimiter(clock);
  const onStandIn = () => measuring.count('patchbay.limit.unshared', 1);
  if (primary) return insureRateLimiter({ primary, standIn, clock, logger, onStandIn });
  return { ...standIn, health: async () => ({ status: 'pass' }) };
}
