import type { PolicyOf } from '../access/tenant-policies.ts';
import { createGatewayService } from '../gateway/create-gateway-service.ts';
import { createDeployments, type Deployment, type Deployments } from '../gateway/deployments.ts';
import { createGatewayListener } from '../gateway/gateway-listener.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import { type CatalogModel, createModelCatalog, loadPriceList } from '../gateway/model-catalog.ts';
import { createReservations } from '../usage/metered-call.ts';
import { meterProvider } from '../usage/metered-provider.ts';
import type { MountedPlugins, Services, ServicesInput } from './services.ts';

interface ComposedGateway {
  readonly gateway: GatewayService;
  readonly deployments: Deployments;
}

/** Reads the models of all providers, and makes the gateway over them. */
export async function composeGateway(
  { platform, resources, config, previous }: ServicesInput,
  { providers, router }: MountedPlugins,
  policyOf: PolicyOf,
): Promise<ComposedGateway> {
  const { clock, logger, measuring } = platform;
  const { limiter, schemas, usage, recorder } = resources;
  const reserve = createReservations({ limiter, limits: config.limits, budgets: usage.budgets });
  const metered = new Map(
    [...providers].map(([name, provider]) => {
      const infoOf = (model: string) => infos.get(`${name}/${model}`);
      return [name, meterProvider(name, provider, { meter: usage.meter, clock, reserve, infoOf, measuring })];
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
  const infos = new Map(catalog.models.map(({ id, info }) => [id, info]));
  const known = knownDeployments(catalog.models, providers, previous);
  const deployments = createDeployments(infos.keys(), clock, known, (model, turn) => {
    if (turn === 'asked') logger.info('circuit closed: the model responds again', { model });
    else logger.warn('circuit open: the model keeps failing', { model, seconds: turn.leftAloneMs / 1_000 });
  });
  const gateway = createGatewayService({
    schemas,
    catalog,
    deployments,
    router,
    clock,
    random: Math.random,
    timeoutMs: config.gateway.timeoutMs,
    listener: createGatewayListener(recorder, measuring),
  });
  return { gateway, deployments };
}

/**
 * Deployments of models whose provider stays: their observations survive a reload. A separate function, because a closure
 * that shares a scope with `previous` would keep it, and with it all services before.
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
