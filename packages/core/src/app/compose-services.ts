import { createAuthenticate } from '../access/authenticate.ts';
import { createKeyService } from '../access/create-key-service.ts';
import { createTenantPolicies, type PolicyOf } from '../access/tenant-policies.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import { createCallService } from '../calls/create-call-service.ts';
import type { CompleteConfig } from '../config/check-app-config.ts';
import type { Authenticator } from '../contracts/authenticator.ts';
import type { Cache } from '../contracts/cache.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { Provider } from '../contracts/provider.ts';
import type { Queue } from '../contracts/queue.ts';
import type { RateLimiter } from '../contracts/rate-limiter.ts';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { Router } from '../contracts/router.ts';
import type { Storage } from '../contracts/storage.ts';
import { createMemoryRateLimiter } from '../defaults/memory-rate-limiter.ts';
import type { ExecutionBackground } from '../executions/background.ts';
import { createExecutionService } from '../functions/create-execution-service.ts';
import { createFunctionService } from '../functions/create-function-service.ts';
import { createCursorCodec } from '../functions/cursor.ts';
import { createSchemaCache } from '../functions/schema-cache.ts';
import { createGatewayService } from '../gateway/create-gateway-service.ts';
import { createDeployments } from '../gateway/deployments.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import { createModelAccess } from '../gateway/model-access.ts';
import { createModelCatalog } from '../gateway/model-catalog.ts';
import { loadPriceList } from '../gateway/prices.ts';
import { createIdempotencyService } from '../idempotency/create-idempotency-service.ts';
import { sweepIdempotencyKeys } from '../idempotency/sweep-idempotency-keys.ts';
import { guardAuthentication } from '../limits/guard-authentication.ts';
import { type InsuredRateLimiter, insureRateLimiter } from '../limits/insured-rate-limiter.ts';
import { createRequestLimits } from '../limits/request-limits.ts';
import { createFunctionRunner } from '../model-functions/function-runner.ts';
import { createNameObserver, type NameObserver } from '../observed-names/name-observer.ts';
import { createObservedNameService } from '../observed-names/observed-name-service.ts';
import { createSettingsService } from '../settings/create-settings-service.ts';
import { sweepUsage } from '../usage/sweep-usage.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { createGatewayAnnouncer } from '../webhooks/announce-gateway.ts';
import { createEventRecorder, type EventRecorder } from '../webhooks/event-recorder.ts';
import type { WebhookDispatcher } from '../webhooks/webhook-dispatcher.ts';
import { createWebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { App, AppServices } from './app.ts';
import { composeExecutions } from './compose-executions.ts';
import { composeHostCalls } from './compose-host-calls.ts';
import { type ComposedUsage, composeUsage } from './compose-usage.ts';
import { composeWebhooks } from './compose-webhooks.ts';
import type { Chore } from './housekeeping.ts';

/** Milliseconds between two looks at what has expired. */
const SWEEP_MS = 60_000;

/** Milliseconds that an observed name waits in memory at most. */
const OBSERVED_MS = 5_000;

/** What the services are made of, once everything has started. */
export interface ServiceParts {
  readonly storage: Storage;
  readonly executor: Executor | undefined;
  readonly cache: Cache;
  readonly queue: Queue;
  readonly authenticators: readonly Authenticator[];
  /** By the name under which they are mounted. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly router: Router | undefined;
  /** Undefined: this process counts on its own. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly logger: Logger;
  readonly rootSecret: RootSecret;
  readonly clock: Clock;
  readonly executions: CompleteConfig['executions'];
  readonly functions: CompleteConfig['functions'];
  readonly gateway: CompleteConfig['gateway'];
  readonly tenants: CompleteConfig['tenants'];
  readonly limits: CompleteConfig['limits'];
  readonly usage: CompleteConfig['usage'];
  readonly webhooks: CompleteConfig['webhooks'];
  /** Aborts when the drain deadline has passed. */
  readonly stopping: AbortSignal;
}

/** The services of an app, and how those are that no plugin stands for. */
export interface Composed {
  readonly services: AppServices;
  readonly health: Readonly<Record<string, () => Promise<Health>>>;
  readonly chores: readonly Chore[];
  /** What is done for executions that nobody waits for. */
  readonly background: ExecutionBackground;
  /** What sends to webhooks. */
  readonly dispatcher: WebhookDispatcher;
  /** Stopped once nothing is under way any more. */
  readonly ledger: Pick<UsageLedger, 'stop'>;
  /** The same. */
  readonly recorder: Pick<EventRecorder, 'stop'>;
  /** The same. */
  readonly observer: Pick<NameObserver, 'stop'>;
}

/** The services of an app: the one place where they are made and handed to each other. */
export async function composeServices(parts: ServiceParts): Promise<Composed> {
  const { storage, queue, clock } = parts;
  const { timeoutMs, outputBytes, logBytes, maxQueued } = parts.executions;
  const cursors = createCursorCodec(parts.rootSecret);
  const outbox = createWebhookOutbox(parts);
  const recorder = createEventRecorder({ ...parts, outbox });
  const audit = createAuditLog({ storage, clock, rootSecret: parts.rootSecret, cursors, outbox });
  const schemas = createSchemaCache();
  const { settings: configured = {}, settingsLabel, dynamicCalls } = parts.functions;
  const settings = createSettingsService({ storage, audit, schemas, cursors, clock, configured, label: settingsLabel });
  const issuer = parts.authenticators.find(({ keys }) => keys)?.keys;
  const limiter = composeRateLimiter(parts);
  const policyOf = createTenantPolicies(parts.tenants);
  const limits = { wallMs: timeoutMs, outputBytes, logBytes };
  const usage = composeUsage(parts, limiter, policyOf);
  const gateway = await composeGateway(parts, policyOf, usage, recorder);
  const executor = createFunctionRunner({ ...parts, settings, gateway, meter: usage.meter });
  const functionParts = { storage, executor, clock, schemas, cursors };
  const requestLimits = createRequestLimits({ limiter, limits: parts.limits, policyOf });
  const openHostCalls = composeHostCalls({
    config: parts.functions,
    limits: requestLimits,
    storage,
    gateway,
    execute: (id, input, context) => executions.execute(id, input, context),
  });
  const { engine, background } = composeExecutions(
    { ...parts, ...functionParts, openHostCalls, meter: usage.meter, outbox },
    limits,
  );
  const executions = createExecutionService({ ...functionParts, engine, queue, limits, maxQueued });
  const idempotency = createIdempotencyService({ ...parts, instance: engine.parts.instance });
  const functions = createFunctionService({ ...functionParts, audit, settingsLabel });
  const observer = createNameObserver(parts);
  const webhooks = composeWebhooks({ ...parts, audit, cursors });
  const services = {
    functions,
    settings,
    calls: createCallService({
      ...parts,
      meter: usage.meter,
      schemas,
      gateway,
      settings,
      executions,
      policyOf,
      dynamicCalls,
      observer,
    }),
    observedNames: createObservedNameService({ storage, cursors, functions, observer }),
    executions,
    gateway,
    webhooks: webhooks.service,
    keys: createKeyService({ storage, audit, clock, cursors, issuer, limits: parts.limits }),
    audit,
    idempotency,
    usage: usage.service,
    limits: requestLimits,
    authenticate: composeAuthenticate(parts),
    policyOf,
  };
  const chores = [
    ...background.chores,
    ...webhooks.dispatcher.chores,
    { name: 'sweeping idempotency keys', everyMs: SWEEP_MS, run: () => sweepIdempotencyKeys(storage, clock) },
    { name: 'writing down observed names', everyMs: OBSERVED_MS, run: () => observer.flush() },
    { name: 'sweeping usage', everyMs: SWEEP_MS, run: () => sweepUsage(storage, clock, parts.usage.retentionDays) },
  ];
  const health = { limits: () => limiter.health() };
  const { dispatcher } = webhooks;
  return { services, health, chores, background, dispatcher, recorder, ledger: usage.ledger, observer };
}

function composeRateLimiter({ rateLimiter, clock, logger }: ServiceParts): InsuredRateLimiter {
  const standIn = createMemoryRateLimiter(clock);
  if (rateLimiter) return insureRateLimiter({ primary: rateLimiter, standIn, clock, logger });
  return { ...standIn, health: async () => ({ status: 'pass' }) };
}

function composeAuthenticate({ authenticators, limits, clock }: ServiceParts): App['authenticate'] {
  const authenticate = createAuthenticate(authenticators);
  return limits.off ? authenticate : guardAuthentication(authenticate, limits.failedAuthentication, clock);
}

async function composeGateway(
  { providers, router, clock, gateway }: ServiceParts,
  policyOf: PolicyOf,
  usage: Pick<ComposedUsage, 'meterAll'>,
  recorder: EventRecorder,
): Promise<GatewayService> {
  const metered = usage.meterAll(providers, (id) => infos.get(id));
  const catalog = await createModelCatalog(metered, gateway.models ?? {}, loadPriceList, clock);
  const infos = new Map(catalog.models.map(({ id, info }) => [id, info]));
  const ids = catalog.models.map(({ id }) => id);
  const deployments = createDeployments(ids, clock);
  const announcer = createGatewayAnnouncer(recorder);
  const service = createGatewayService({
    catalog,
    mayUse: createModelAccess(policyOf),
    deployments,
    router,
    clock,
    random: Math.random,
    timeoutMs: gateway.timeoutMs,
    listener: announcer.listener,
  });
  return announcer.announce(service);
}
