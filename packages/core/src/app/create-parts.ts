import { errorMessage } from '../base/error-message.ts';
import { bindLogger } from '../base/logger.ts';
import { missingFrom } from '../config/compatibility.ts';
import { mountRef, type PluginMount } from '../config/mounts.ts';
import type { Logger } from '../contracts/context.ts';
import type { Dependencies } from '../contracts/define-plugin.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Lifecycle } from '../contracts/lifecycle.ts';
import { services } from '../contracts/services.ts';
import type { ProxyFor } from '../egress/proxy-rules.ts';
import { createMeasuring, type MetricRegistry } from '../telemetry/measuring.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { Container } from './container.ts';
import { type Part, partLabel } from './part.ts';

export interface CreatePartOptions {
  readonly logger: Logger;
  /** Folder that relative paths in options mean. */
  readonly directory: string;
  /** What is measured goes here, too. Default: only to the telemetry that is mounted. */
  readonly registry?: MetricRegistry;
  /** The forward proxy that their connections take. Default: none. */
  readonly proxyFor?: ProxyFor;
}

/**
 * Make the instances of all mounts, dependencies first, which is the order in which they are to be started. The
 * storage, with what it needs, is first of all: it has to be migrated before anything else looks into it.
 */
export function createParts(mounts: readonly PluginMount[], container: Container, options: CreatePartOptions): Part[] {
  const parts: Part[] = [];
  for (const mount of mounts) {
    container.register(mountRef<Lifecycle>(mount.kind, mount.path), () => {
      const part = createPart(mount, container, options);
      parts.push(part);
      return part.instance;
    });
  }
  const storageFirst = mounts.toSorted((a, b) => Number(b.kind === 'storage') - Number(a.kind === 'storage'));
  for (const { kind, path } of storageFirst) container.resolve(mountRef<Lifecycle>(kind, path));
  return parts;
}

/** Make the instance of one mount, out of what the container has. */
export function createPart(
  mount: PluginMount,
  container: Container,
  { logger, directory, registry, proxyFor }: CreatePartOptions,
): Part {
  const { name, kind, plugin, options, optional } = mount;
  const { definition } = plugin;
  const label = partLabel({ name, plugin: definition.name });
  const bound = bindLogger(logger, { plugin: name });
  const own = ownServices(definition.deps ?? {}, bound, container, { registry, proxyFor });
  const deps = resolveDependencies(definition.deps ?? {}, container, own.services);
  let instance: Lifecycle;
  try {
    instance = definition.create({ config: options, deps, logger: bound, mount: name, directory });
  } catch (cause) {
    const code = PatchbayError.is(cause) ? cause.code : 'plugin_start_failed';
    throw new PatchbayError(code, `${label} could not be created: ${errorMessage(cause)}`, { cause });
  }
  const missing = missingFrom(instance, kind);
  if (missing !== undefined) throw new PatchbayError('plugin_incompatible', `${label} is not a ${kind}: ${missing}`);
  return {
    name,
    kind,
    plugin: definition.name,
    optional,
    instance,
    state: 'created',
    ...(own.release && { release: own.release }),
  };
}

/** What each part has for itself: its logger, and connections that are closed when it is not needed any more. */
function ownServices(
  deps: Dependencies,
  logger: Logger,
  container: Container,
  { registry, proxyFor }: { readonly registry: MetricRegistry | undefined; readonly proxyFor: ProxyFor | undefined },
): { readonly services: ReadonlyMap<string, unknown>; readonly release?: () => Promise<void> } {
  const needs = ({ id }: { readonly id: string }) => Object.values(deps).some((ref) => ref.id === id);
  const own = new Map<string, unknown>([[services.logger.id, logger]]);
  if (registry && needs(services.telemetry)) {
    own.set(services.telemetry.id, createMeasuring(registry, container.resolve(services.telemetry)));
  }
  if (!needs(services.transport)) return { services: own };
  const transport = createTransport({
    trace: () => container.resolve(services.telemetry).outgoing?.('models'),
    ...(proxyFor && { proxyFor }),
  });
  own.set(services.transport.id, transport);
  return { services: own, release: () => transport.stop() };
}

function resolveDependencies(
  deps: Dependencies,
  container: Container,
  own: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const resolve = (ref: Dependencies[string]) => own.get(ref.id) ?? container.resolve(ref);
  return Object.fromEntries(Object.entries(deps).map(([name, ref]) => [name, resolve(ref)]));
}
