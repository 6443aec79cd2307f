import type { Logger } from '../contracts/context.ts';
import type { Dependencies } from '../contracts/define-plugin.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Lifecycle } from '../contracts/lifecycle.ts';
import { services } from '../contracts/services.ts';
import { bindLogger } from './bind-logger.ts';
import { missingFrom } from './compatibility.ts';
import type { Container } from './container.ts';
import { errorMessage } from './error-message.ts';
import { mountRef, type PluginMount } from './mounts.ts';
import { type Part, partLabel } from './part.ts';

/**
 * Make the instances of all mounts, dependencies first, which is the order in which they are to be started. The
 * storage, with what it needs, is first of all: it has to be migrated before anything else looks into it.
 */
export function createParts(
  mounts: readonly PluginMount[],
  container: Container,
  options: { readonly logger: Logger; readonly directory: string },
): Part[] {
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

function createPart(
  mount: PluginMount,
  container: Container,
  { logger, directory }: { readonly logger: Logger; readonly directory: string },
): Part {
  const { name, kind, plugin, options, optional } = mount;
  const { definition } = plugin;
  const label = partLabel({ name, plugin: definition.name });
  const bound = bindLogger(logger, { plugin: name });
  const deps = resolveDependencies(definition.deps ?? {}, container, bound);
  let instance: Lifecycle;
  try {
    instance = definition.create({ config: options, deps, logger: bound, mount: name, directory });
  } catch (cause) {
    const code = PatchbayError.is(cause) ? cause.code : 'plugin_start_failed';
    throw new PatchbayError(code, `${label} could not be created: ${errorMessage(cause)}`, { cause });
  }
  const missing = missingFrom(instance, kind);
  if (missing !== undefined) throw new PatchbayError('plugin_incompatible', `${label} is not a ${kind}: ${missing}`);
  return { name, kind, plugin: definition.name, optional, instance, state: 'created' };
}

function resolveDependencies(deps: Dependencies, container: Container, logger: Logger): Record<string, unknown> {
  const resolve = (ref: Dependencies[string]) => (ref.id === services.logger.id ? logger : container.resolve(ref));
  return Object.fromEntries(Object.entries(deps).map(([name, ref]) => [name, resolve(ref)]));
}
