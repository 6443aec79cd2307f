import { createAuthenticate } from '../access/authenticate.ts';
import { createKeyService } from '../access/create-key-service.ts';
import { createTenantPolicies } from '../access/tenant-policies.ts';
import type { CompleteConfig } from '../config/app-config.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { createCallService } from '../functions/calls/create-call-service.ts';
import { createExecutionService } from '../functions/create-execution-service.ts';
import { createFunctionService } from '../functions/create-function-service.ts';
import { createFunctionRunner } from '../functions/models/function-runner.ts';
import { withModelSlots } from '../functions/models/model-slots.ts';
import { createObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import { createRequestLimits, measuredLimits } from '../limits/request-limits.ts';
import { createSettingsService } from '../settings/create-settings-service.ts';
import { composeGateway } from './compose-gateway.ts';
import { composeHostCalls } from './compose-host-calls.ts';
import type { MountedPlugins } from './mounted-plugins.ts';
import type { Resources } from './open-resources.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';
import type { Swap } from './swap.ts';

export interface ServicesInput {
  readonly platform: Platform;
  readonly resources: Resources;
  readonly plugins: MountedPlugins;
  readonly config: CompleteConfig;
  /** In force until now; absent at the start. */
  readonly previous: Services | undefined;
  readonly inForce: Swap<Services>;
}

/** The services of one config: the one place where they are made and handed to each other. */
export async function createServices(input: ServicesInput): Promise<Services> {
  const { platform, resources, plugins, config, previous, inForce } = input;
  const { storage, queue, cache, clock, measuring } = platform;
  const { cursors, audit, schemas, observer, limiter, caps, usage } = resources;
  const { timeoutMs, outputBytes, logBytes, maxQueued } = config.executions;
  const { settings: configured = {}, settingsLabel, dynamicCalls } = config.functions;

  const policyOf = createTenantPolicies(config.tenants);
  const { gateway, deployments } = await composeGateway({ platform, resources, plugins, config, policyOf, previous });
  const settings = createSettingsService({ storage, audit, schemas, cursors, clock, configured, label: settingsLabel });
  const requestLimits = measuredLimits(
    createRequestLimits({ limiter, caps, limits: config.limits, policyOf }),
    measuring,
  );
  const task = { gateway: withModelSlots(gateway, requestLimits), cache, meter: usage.meter, measuring };
  const executor = createFunctionRunner({ task, code: plugins.executor, storage, settings, clock });
  const limits = { wallMs: timeoutMs, outputBytes, logBytes };
  const { engine } = resources.executions;
  const functions = createFunctionService({ storage, executor, schemas, cursors, clock, audit, settingsLabel });
  const executions = createExecutionService({ engine, executor, schemas, cursors, queue, limits, maxQueued });
  const dynamicCallsOf = (tenant: TenantId) => policyOf(tenant).dynamicCalls ?? dynamicCalls;
  const issuer = plugins.authenticators.find(({ keys }) => keys)?.keys;
  return {
    config,
    plugins,
    executor,
    policyOf,
    deployments,
    authenticate: createAuthenticate(plugins.authenticators),
    openHostCalls: composeHostCalls({
      config: config.functions,
      storage,
      limits: () => inForce.current.api.limits,
      gateway: () => inForce.current.api.gateway,
      execute: (id, given, context) => inForce.current.api.executions.execute(id, given, context),
    }),
    api: {
      functions,
      settings,
      executions,
      gateway,
      policyOf,
      audit,
      calls: createCallService({
        task,
        storage,
        schemas,
        clock,
        executions,
        settings,
        dynamicCalls: dynamicCallsOf,
        observer,
      }),
      observedNames: createObservedNameService({ storage, cursors, functions, observer }),
      webhooks: resources.webhooks.service,
      keys: createKeyService({ storage, audit, clock, cursors, issuer, limits: config.limits }),
      idempotency: resources.idempotency,
      usage: usage.service,
      limits: requestLimits,
      authenticate: resources.guard(config.limits),
    },
  };
}
