import type { ModelInfo } from '@patchbay/contracts/provider';
import type { PolicyOf } from '../access/callers.ts';
import { createGatewayService } from '../gateway/create-gateway-service.ts';
import { createDeployments, type Deployment, type Deployments } from '../gateway/deployments.ts';
import { createGatewayListener } from '../gateway/gateway-listener.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import { type CatalogModel, createModelCatalog, loadPriceList, missingModels } from '../gateway/model-catalog.ts';
import { createReceivedIds } from '../gateway/received-ids.ts';
import { createSessionAffinity } from '../gateway/session-affinity.ts';
import { withToolLoop } from '../gateway/tool-loop/with-tool-loop.ts';
import type { ToolCatalog } from '../tools/tool-catalog.ts';
import { createReservations } from '../usage/budgets.ts';
import { meterProvider } from '../usage/metered-provider.ts';
import { createModelLabels } from '../usage/open-call.ts';
import type { MountedPlugins, Services, ServicesInput } from './services.ts';

/** The gateway over the mounted providers, and the deployments of its models. */
export async function composeGateway(
  { platform, resources, config, previous }: ServicesInput,
  { providers, router }: MountedPlugins,
  policyOf: PolicyOf,
  tools: ToolCatalog,
): Promise<{ readonly gateway: GatewayService; readonly deployments: Deployments }> {
  const { cache, clock, logger, measuring } = platform;
  const { limiter, schemas, usage, recorder, taskRecords } = resources;
  const reserve = createReservations({ limiter, limits: config.limits, budgets: usage.budgets });
  const infos = new Map<string, ModelInfo>();
  const metered = new Map(
    [...providers].map(([name, provider]) => {
      const labelsOf = createModelLabels(name);
      return [name, meterProvider(name, provider, { meter: usage.meter, clock, reserve, infos, labelsOf, measuring })];
    }),
  );
  const catalog = await createModelCatalog({
    providers: metered,
    overrides: config.gateway.models ?? {},
    loadPrices: loadPriceList,
    policyOf,
    clock,
    timeoutMs: config.startTimeoutMs,
  });
  for (const missing of missingModels(catalog, config.gateway.aliases)) {
    logger.warn('an alias stands for a model that no provider has', missing);
  }
  for (const { id, info } of catalog.models) infos.set(id, info);
  const known = knownDeployments(catalog.models, providers, previous);
  const deployments = createDeployments(infos.keys(), clock, known, (model, turn) => {
    if (turn === 'asked') logger.info('circuit closed: the model responds again', { model });
    else logger.warn('circuit open: the model keeps failing', { model, seconds: turn.leftAloneMs / 1_000 });
  });
  const models = createGatewayService({
    schemas,
    catalog,
    deployments,
    router,
    clock,
    random: Math.random,
    timeoutMs: config.gateway.timeoutMs,
    fallbackAfter: config.gateway,
    aliases: config.gateway.aliases,
    vendorTools: config.gateway.vendorTools,
    receivedIds: createReceivedIds(cache, logger),
    affinity: createSessionAffinity(cache, logger),
    records: taskRecords,
    listener: createGatewayListener(recorder, measuring, usage.calls),
  });
  const { timeoutMs } = config.gateway;
  return { gateway: withToolLoop(models, { tools, clock, timeoutMs, records: usage.calls }), deployments };
}

/**
 * Deployments of models whose provider stays: their observations survive a reload. A separate function, because a
 * closure that shares a scope with `previous` would keep it alive, and with it all previous services.
 */
function knownDeployments(
  models: readonly CatalogModel[],
  providers: MountedPlugins['providers'],
  previous: Services | undefined,
): ReadonlyMap<string, Deployment> {
  const known = new Map<string, Deployment>();
  for (const { id, provider } of models) {
    const found = previous?.deployments.find(id);
    if (found && previous?.plugins.providers.get(provider) === providers.get(provider)) known.set(id, found);
  }
  return known;
}
