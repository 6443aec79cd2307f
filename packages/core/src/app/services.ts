import type { Authenticator } from '@patchbay/contracts/authenticator';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Executor } from '@patchbay/contracts/executor';
import type { Provider } from '@patchbay/contracts/provider';
import type { Router } from '@patchbay/contracts/router';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import type { ToolServer } from '@patchbay/contracts/tool-server';
import { createAuthenticate, createTenantPolicies, type PolicyOf, withSessions } from '../access/callers.ts';
import { createKeyService } from '../access/key-service.ts';
import { createSessionService } from '../access/session-service.ts';
import { createTenantService } from '../access/tenant-service.ts';
import type { CompleteConfig } from '../config/app-config.ts';
import { createExperimentService } from '../experiments/experiment-service.ts';
import { metricsOf } from '../feedback/check-metric.ts';
import { createFeedbackService } from '../feedback/feedback-service.ts';
import { withFunctionModels } from '../functions/as-model/with-function-models.ts';
import { createFunctionPrompts } from '../functions/as-tools/function-prompts.ts';
import { createFunctionTools } from '../functions/as-tools/function-tools.ts';
import { withModelSlots } from '../functions/by-model/do-task.ts';
import { createFunctionRunner } from '../functions/by-model/function-runner.ts';
import { createCallService } from '../functions/calls/call-service.ts';
import { createCodeMode } from '../functions/code-mode/code-mode.ts';
import { createDatasetService } from '../functions/dataset/dataset-service.ts';
import { createExecutionService } from '../functions/executions/create-execution-service.ts';
import { createFunctionService } from '../functions/function-service.ts';
import { createGrants, noGrants } from '../functions/host-calls/grants.ts';
import type { OpenHostCallsFor } from '../functions/host-calls/open-host-calls.ts';
import type { CalledFunctions } from '../functions/host-calls/served-calls.ts';
import { createObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import { pauseOfRevokedKey } from '../functions/schedules/lost-keys.ts';
import { createScheduleService } from '../functions/schedules/schedule-service.ts';
import { withToolTypes } from '../functions/types/with-tool-types.ts';
import type { Deployments } from '../gateway/deployments.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import { createKeptItems } from '../gateway/kept-items.ts';
import { createRequestLimits } from '../limits/request-limits.ts';
import { createSettingsService } from '../settings/settings-service.ts';
import { createToolCatalog, type ToolCatalog } from '../tools/tool-catalog.ts';
import type { AppServices } from './app.ts';
import { composeGateway } from './compose-gateway.ts';
import { composeHostCalls } from './compose-host-calls.ts';
import type { Part } from './parts.ts';
import type { Platform } from './platform.ts';
import type { RequestTracker } from './request-context.ts';
import type { Resources } from './resources.ts';

/** The services of one config. Immutable: a reload creates new ones, and requests keep theirs to the end. */
export interface Services {
  readonly config: CompleteConfig;
  readonly plugins: MountedPlugins;
  readonly api: AppServices;
  /** Authenticates without rate limiting of failures. */
  readonly authenticate: AppServices['authenticate'];
  /** Every model, without the functions that are models for clients: code calls those by name. */
  readonly models: GatewayService;
  /** Runs functions with code in the mounted executor, and others with a model. */
  readonly executor: Executor;
  readonly openHostCalls: OpenHostCallsFor;
  /** The tools of mounted servers. */
  readonly tools: ToolCatalog;
  readonly policyOf: PolicyOf;
  readonly deployments: Deployments;
}

/** The single reference to the active services, which a reload replaces, for everything that outlives a reload. */
export class ServicesInForce {
  #current: Services | undefined;

  /** @throws Error before the first `replace`. */
  get current(): Services {
    if (this.#current === undefined) throw new Error('no services are in force yet');
    return this.#current;
  }

  replace(next: Services): void {
    this.#current = next;
  }

  // For what outlives a reload, such as background work, which keeps one of these instead of a service or an option.

  readonly authenticate: Services['authenticate'] = (presented) => this.current.authenticate(presented);
  readonly openHostCalls: OpenHostCallsFor = (run) => this.current.openHostCalls(run);
  readonly policyOf: PolicyOf = (tenant) => this.current.policyOf(tenant);
  readonly execute: CalledFunctions['execute'] = (...given) => this.current.api.executions.execute(...given);
  readonly limits = (): CompleteConfig['limits'] => this.current.config.limits;
  readonly executionOptions = (): CompleteConfig['executions'] => this.current.config.executions;
  readonly callRecordOptions = (): CompleteConfig['callRecords'] => this.current.config.callRecords;
}

/** Services for hosts. A host may keep a reference, which must stay valid after a reload. */
export function followServices(inForce: ServicesInForce, requests: Pick<RequestTracker, 'track'>): AppServices {
  const current = () => inForce.current.api;
  const followed = Object.entries(current()).map(([name, service]) => {
    return [name, typeof service === 'function' ? service : follow(() => current()[name as 'functions'])];
  });
  return {
    ...(Object.fromEntries(followed) as AppServices),
    async authenticate(presented) {
      // It counts as a request in progress, so that the plugins it uses are not stopped meanwhile.
      const tracked = requests.track();
      try {
        return await current().authenticate(presented);
      } finally {
        tracked.done();
      }
    },
    policyOf: (tenant) => current().policyOf(tenant),
  };
}

/** An object that forwards each property access to the current value, for hosts that keep a service. */
function follow<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(current(), key);
      return found && { ...found, configurable: true };
    },
  });
}

export interface ServicesInput {
  readonly platform: Platform;
  readonly resources: Resources;
  readonly parts: readonly Part[];
  readonly config: CompleteConfig;
  readonly previous: Services | undefined;
  readonly inForce: ServicesInForce;
}

/** Creates the services of one config and connects them. */
export async function createServices(input: ServicesInput): Promise<Services> {
  const { platform, resources, config, inForce } = input;
  const { storage, queue, cache, clock, logger, measuring } = platform;
  const { cursors, audit, outbox, schemas, observer, limiter, caps, bodies, usage, taskRecords } = resources;
  const { timeoutMs, outputBytes, logBytes, maxQueued, keepDays } = config.executions;
  const { settings: configured = {}, settingsLabel, dynamicCalls } = config.functions;

  const plugins = mountedPlugins(input.parts);
  const policyOf = createTenantPolicies(config.tenants);
  const tools = createToolCatalog({ servers: plugins.toolServers, schemas, policyOf, measuring, clock, logger });
  const { gateway, deployments } = await composeGateway(input, plugins, policyOf, tools);
  const settings = createSettingsService({ storage, audit, schemas, cursors, clock, configured, label: settingsLabel });
  const requestLimits = createRequestLimits({ limiter, caps, bodies, limits: config.limits, policyOf, measuring });
  const task = { gateway: withModelSlots(gateway, requestLimits), cache, meter: usage.meter, measuring };
  const metricsOfFunction = async (row: FunctionRow, context: RequestContext) =>
    metricsOf((await settings.resolve(row, context)).settings);
  const executor = createFunctionRunner({ task, code: plugins.executor, storage, settings, clock });
  const limits = { wallMs: timeoutMs, outputBytes, logBytes };
  const { engine } = resources.executions;
  const saving = withToolTypes(executor, tools);
  const functions = createFunctionService({ storage, executor: saving, schemas, cursors, clock, audit, settingsLabel });
  const executions = createExecutionService({
    engine,
    executor: saving,
    settings,
    schemas,
    cursors,
    queue,
    limits,
    maxQueued,
    keepDays,
  });
  const grantsOf = createGrants(config.functions.grants ?? []);
  const functionTools = createFunctionTools({
    storage,
    cursors,
    settings,
    clock,
    hasGrants: (row, tenant) => grantsOf(row, tenant) !== noGrants,
  });
  const issuer = plugins.authenticators.find(({ keys }) => keys)?.keys;
  const keys = createKeyService({
    storage,
    audit,
    clock,
    cursors,
    issuer,
    limits: config.limits,
    onRevoked: () => pauseOfRevokedKey({ storage, audit, clock, logger }),
  });
  const authenticate = createAuthenticate(plugins.authenticators);
  const sessions = createSessionService({
    storage,
    audit,
    clock,
    rootSecret: platform.rootSecret,
    keys,
    linkTenant: issuer && (issuer.tenant ?? tenantId('default')),
    authenticate,
  });
  return {
    config,
    plugins,
    executor,
    policyOf,
    deployments,
    models: gateway,
    tools,
    authenticate: withSessions(authenticate, sessions),
    openHostCalls: composeHostCalls(config.functions, grantsOf, storage, inForce),
    api: {
      functions,
      settings,
      executions,
      functionTools,
      functionPrompts: createFunctionPrompts({ tools: functionTools, settings }),
      codeMode: createCodeMode({ storage, executor, executions, execute: inForce.execute, settings, clock, tools }),
      keptItems: createKeptItems(cache, logger),
      gateway: withFunctionModels(gateway, { storage, executions, settings, clock }),
      policyOf,
      audit,
      calls: createCallService({
        task,
        storage,
        schemas,
        clock,
        executions,
        settings,
        dynamicCalls: (tenant) => policyOf(tenant).dynamicCalls ?? dynamicCalls,
        observer,
        records: usage.calls,
      }),
      observedNames: createObservedNameService({ storage, cursors, functions, observer }),
      webhooks: resources.webhooks.service,
      keys,
      sessions,
      tenants: createTenantService({ storage, cursors }),
      idempotency: resources.idempotency,
      usage: usage.service,
      experiments: createExperimentService({
        storage,
        audit,
        cursors,
        clock,
        label: settingsLabel,
        metricsOf: metricsOfFunction,
      }),
      schedules: createScheduleService({
        storage,
        schemas,
        queue,
        clock,
        audit,
        cursors,
        outbox,
        settings: () => settings,
        maxQueued: () => maxQueued,
        wake: () => resources.schedules.wake(),
      }),
      datasets: createDatasetService({ storage, audit, schemas, cursors, clock, metricsOf: metricsOfFunction }),
      callRecords: usage.callRecords,
      feedback: createFeedbackService({
        storage,
        audit,
        outbox,
        cursors,
        settings,
        clock,
        meter: usage.meter,
        taskRecords,
        ledger: usage.ledger,
        keepDays: config.callRecords.keepDays,
      }),
      limits: requestLimits,
      tokenIssuers: () => new Map(plugins.authenticators.flatMap(({ tokenIssuers = [] }) => [...tokenIssuers])),
      authenticate: resources.guard(config.limits),
    },
  };
}

export type MountedPlugins = ReturnType<typeof mountedPlugins>;

/** The started plugins that a reload can replace. */
function mountedPlugins(parts: readonly Part[]) {
  const started = (kind: Part['kind']) => parts.filter((part) => part.kind === kind && part.state === 'started');
  // By name: `openai` for a mount called `providers.openai`.
  const named = <T>(kind: Part['kind']): ReadonlyMap<string, T> =>
    new Map(started(kind).map(({ name, instance }) => [name.slice(name.indexOf('.') + 1), instance as T]));
  return {
    executor: started('executor')[0]?.instance as Executor | undefined,
    authenticators: started('authenticator').map(({ instance }) => instance as Authenticator),
    providers: named<Provider>('provider'),
    toolServers: named<ToolServer>('toolServer'),
    router: started('router')[0]?.instance as Router | undefined,
  };
}
