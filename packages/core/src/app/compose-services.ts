import { createAuthenticate } from '../access/authenticate.ts';
import { createKeyService } from '../access/create-key-service.ts';
import { createTenantPolicies, type PolicyOf } from '../access/tenant-policies.ts';
import type { CompleteConfig } from '../config/check-app-config.ts';
import type { Authenticator } from '../contracts/authenticator.ts';
import type { Cache } from '../contracts/cache.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Limits } from '../contracts/limits-config.ts';
import type { Provider } from '../contracts/provider.ts';
import type { Queue } from '../contracts/queue.ts';
import type { RateLimiter } from '../contracts/rate-limiter.ts';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { Router } from '../contracts/router.ts';
import type { Storage } from '../contracts/storage.ts';
import { createCallService } from '../functions/calls/create-call-service.ts';
import { createExecutionService } from '../functions/create-execution-service.ts';
import { createFunctionService } from '../functions/create-function-service.ts';
import type { OpenHostCallsFor } from '../functions/host-calls/open-host-calls.ts';
import { createFunctionRunner } from '../functions/models/function-runner.ts';
import { createObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import { createGatewayAnnouncer } from '../gateway/announce-gateway.ts';
import { createGatewayService } from '../gateway/create-gateway-service.ts';
import { createDeployments, type Deployment, type Deployments } from '../gateway/deployments.ts';
import { createGatewayMeasures } from '../gateway/gateway-measures.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import { createModelAccess } from '../gateway/model-access.ts';
import { type CatalogModel, createModelCatalog } from '../gateway/model-catalog.ts';
import { loadPriceList } from '../gateway/prices.ts';
import { measuredLimits } from '../limits/measured-limits.ts';
import { createRequestLimits } from '../limits/request-limits.ts';
import { createSettingsService } from '../settings/create-settings-service.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { meterProvider } from '../usage/metered-provider.ts';
import { createReservations } from '../usage/reservations.ts';
import type { App, AppServices } from './app.ts';
import { composeHostCalls } from './compose-host-calls.ts';
import type { Lasting } from './compose-lasting.ts';
import { standIn } from './stand-in.ts';

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
  readonly measuring: Measuring;
  readonly rootSecret: RootSecret;
  readonly clock: Clock;
  readonly executions: CompleteConfig['executions'];
  readonly functions: CompleteConfig['functions'];
  readonly gateway: CompleteConfig['gateway'];
  readonly tenants: CompleteConfig['tenants'];
  readonly limits: CompleteConfig['limits'];
  readonly usage: CompleteConfig['usage'];
  readonly webhooks: CompleteConfig['webhooks'];
  /** Milliseconds that a provider may take to tell its models. */
  readonly startTimeoutMs: number;
  /** Aborts when the drain deadline has passed. */
  readonly stopping: AbortSignal;
}

/** What one config makes of the services: a reload replaces all of it, and who began with it ends with it. */
export interface Generation {
  readonly services: AppServices;
  /** Asks the authenticators, whoever asks and however often. */
  readonly authenticate: App['authenticate'];
  readonly executor: Executor;
  /** Absent: none is mounted. */
  readonly mountedExecutor: Executor | undefined;
  readonly openHostCalls: OpenHostCallsFor;
  readonly executions: ServiceParts['executions'];
  readonly usage: ServiceParts['usage'];
  readonly webhooks: ServiceParts['webhooks'];
  readonly limits: Limits;
  readonly policyOf: PolicyOf;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly deployments: Deployments;
}

/**
 * The services of an app: the one place where they are made and handed to each other.
 *
 * @param previous What was in force until now: what it has learned of models stays true where their provider stays.
 */
export async function composeServices(
  parts: ServiceParts,
  lasting: Lasting,
  previous?: Generation,
): Promise<Generation> {
  const { storage, queue, clock, limits: configuredLimits } = parts;
  const { cursors, audit, schemas, usage, engine, observer } = lasting;
  const { timeoutMs, outputBytes, logBytes, maxQueued } = parts.executions;
  const { settings: configured = {}, settingsLabel, dynamicCalls } = parts.functions;
  const settings = createSettingsService({ storage, audit, schemas, cursors, clock, configured, label: settingsLabel });
  const issuer = parts.authenticators.find(({ keys }) => keys)?.keys;
  const policyOf = createTenantPolicies(parts.tenants);
  const limits = { wallMs: timeoutMs, outputBytes, logBytes };
  const { gateway, deployments } = await composeGateway(parts, lasting, policyOf, previous);
  const executor = createFunctionRunner({ ...parts, settings, gateway, meter: usage.meter });
  const functionParts = { storage, executor, clock, schemas, cursors };
  const { limiter, caps } = lasting;
  const counted = createRequestLimits({ limiter, caps, limits: configuredLimits, policyOf });
  const requestLimits = measuredLimits(counted, parts.measuring);
  // What runs may last longer than a key of a provider: what it asks for is asked of what is in force then.
  const inForce = () => lasting.current().services;
  const openHostCalls = composeHostCalls({
    config: parts.functions,
    limits: standIn(keysOf(requestLimits), () => inForce().limits),
    storage,
    gateway: standIn(keysOf(gateway), () => inForce().gateway),
    execute: (id, input, context) => inForce().executions.execute(id, input, context),
  });
  const executions = createExecutionService({ ...functionParts, engine, queue, limits, maxQueued });
  const functions = createFunctionService({ ...functionParts, audit, settingsLabel });
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
    webhooks: lasting.webhooks.service,
    keys: createKeyService({ storage, audit, clock, cursors, issuer, limits: configuredLimits }),
    audit,
    idempotency: lasting.idempotency,
    usage: usage.service,
    limits: requestLimits,
    authenticate: lasting.guard(configuredLimits),
    policyOf,
  };
  const authenticate = createAuthenticate(parts.authenticators);
  const { providers, executions: executionOptions, usage: usageOptions, webhooks } = parts;
  return {
    services,
    authenticate,
    executor,
    mountedExecutor: parts.executor,
    openHostCalls,
    executions: executionOptions,
    usage: usageOptions,
    webhooks,
    limits: configuredLimits,
    policyOf,
    providers,
    deployments,
  };
}

function keysOf<T extends object>(service: T): (keyof T & string)[] {
  return Object.keys(service) as (keyof T & string)[];
}

async function composeGateway(
  { providers, router, clock, gateway, limits, measuring, startTimeoutMs, logger }: ServiceParts,
  { limiter, usage, recorder }: Lasting,
  policyOf: PolicyOf,
  previous: Generation | undefined,
): Promise<{ readonly gateway: GatewayService; readonly deployments: Deployments }> {
  const reserve = createReservations({ limiter, limits, budgets: usage.budgets });
  const metered = new Map(
    [...providers].map(([name, provider]) => {
      const infoOf = (model: string) => infos.get(`${name}/${model}`);
      return [name, meterProvider(name, provider, { meter: usage.meter, clock, reserve, infoOf, measuring })];
    }),
  );
  const catalog = await createModelCatalog(metered, gateway.models ?? {}, loadPriceList, clock, startTimeoutMs);
  const infos = new Map(catalog.models.map(({ id, info }) => [id, info]));
  const known = knownDeployments(catalog.models, providers, previous);
  const deployments = createDeployments(infos.keys(), clock, known, (model, turn) => {
    if (turn === 'asked') logger.info('a model answers again, and is asked as before', { model });
    else logger.warn('a model is left alone for now, because it fails', { model, seconds: turn.leftAloneMs / 1_000 });
  });
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
    measures: createGatewayMeasures(measuring),
  });
  return { gateway: announcer.announce(service), deployments };
}

/**
 * What is known of models whose provider stays. By itself, because whatever shares a scope with a function that names the
 * previous generation keeps it, and with it all those before.
 */
function knownDeployments(
  models: readonly CatalogModel[],
  providers: ServiceParts['providers'],
  previous: Generation | undefined,
): ReadonlyMap<string, Deployment> {
  const known = new Map<string, Deployment>();
  for (const { id, provider } of models) {
    const found = previous?.deployments.find(id);
    if (found && previous?.providers.get(provider) === providers.get(provider)) known.set(id, found);
  }
  return known;
}
