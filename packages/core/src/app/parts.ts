import { errorMessage } from '@patchbay/contracts/base/error-message';
import { unlessAborted, withTimeout } from '@patchbay/contracts/base/signals';
import type { Logger } from '@patchbay/contracts/context';
import type { Dependencies } from '@patchbay/contracts/define-plugin';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Kind } from '@patchbay/contracts/kinds';
import type { Lifecycle } from '@patchbay/contracts/lifecycle';
import { services } from '@patchbay/contracts/services';
import type { ProxyFor } from '@patchbay/outbound/egress/proxy-rules';
import { createTransport } from '@patchbay/outbound/transport/create-transport';
import { mountRef, type PluginMount } from '../config/mounts.ts';
import { missingFrom } from '../config/plugin-manifest.ts';
import { createMeasuring, type MetricRegistry } from '../telemetry/measuring.ts';
import type { Container } from './container.ts';
import { bindLogger } from './request-context.ts';

/** A mounted instance and its state. */
export interface Part {
  /** The name of the mount: `storage`, `providers.openai`. */
  readonly name: string;
  readonly kind: Kind;
  readonly plugin: string;
  readonly optional: boolean;
  readonly instance: Lifecycle;
  /** Closes the connections that the host opened for it. Called after it has stopped, or if it is not started. */
  readonly release?: () => Promise<void>;
  state: 'created' | 'started' | 'failed' | 'stopped';
}

function partLabel(part: Pick<Part, 'name' | 'plugin'>): string {
  return `${part.name} (${part.plugin})`;
}

export interface PartOptions {
  readonly logger: Logger;
  readonly directory: string;
  /** Also receives the measurements of parts. Default: only the mounted telemetry does. */
  readonly registry?: MetricRegistry;
  /** The forward proxy of their connections. Default: none. */
  readonly proxyFor?: ProxyFor;
}

/**
 * Create the instances of all mounts in start order, dependencies first. The
 * storage, with its dependencies, comes first: it must be migrated before other parts read it.
 */
export function createParts(mounts: readonly PluginMount[], container: Container, options: PartOptions): Part[] {
  const parts: Part[] = [];
  for (const mount of mounts) {
    container.register(mountRef<Lifecycle>(mount.kind, mount.path), () => {
      const part = createPart(mount, container, options);
      parts.push(part);
      return part.instance;
    });
  }
  const storageFirst = mounts.toSorted((a, b) => Number(b.kind === 'storage') - Number(a.kind === 'storage'));
  try {
    for (const { kind, path } of storageFirst) container.resolve(mountRef<Lifecycle>(kind, path));
  } catch (error) {
    for (const part of parts) void part.release?.();
    throw error;
  }
  return parts;
}

export function createPart(
  mount: PluginMount,
  container: Container,
  { logger, directory, registry, proxyFor }: PartOptions,
): Part {
  const { name, kind, plugin, options, optional } = mount;
  const { definition } = plugin;
  const label = partLabel({ name, plugin: definition.name });
  const bound = bindLogger(logger, { plugin: name });
  const refs = definition.deps ?? {};
  const own = ownServices(refs, bound, container, { registry, proxyFor });
  const resolve = (ref: Dependencies[string]) => own.services.get(ref.id) ?? container.resolve(ref);
  const deps = Object.fromEntries(Object.entries(refs).map(([name, ref]) => [name, resolve(ref)]));
  let instance: Lifecycle;
  try {
    instance = definition.create({ config: options, deps, logger: bound, mount: name, directory });
  } catch (cause) {
    void own.release?.();
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

/** The services of one part: its logger, its telemetry, and connections that are closed after it has stopped. */
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
    // Neither an operator nor the code that fills in a config has telemetry. A reload never replaces it.
    telemetry: () => (container.has(services.telemetry) ? container.resolve(services.telemetry) : undefined),
    ...(proxyFor && { proxyFor }),
  });
  own.set(services.transport.id, transport);
  return { services: own, release: () => transport.stop() };
}

interface StartOptions {
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
  /** Runs as soon as a part has started, and is part of its start. Default: nothing. */
  onStarted?(part: Part): Promise<void>;
}

/**
 * Start the parts in order. An optional part that fails is skipped.
 *
 * @throws PatchbayError `plugin_start_failed`, or the reason of the signal. The parts that had started are still up then.
 */
export async function startParts(parts: readonly Part[], options: StartOptions): Promise<void> {
  for (const part of parts) {
    try {
      options.signal?.throwIfAborted();
      await startPart(part, options);
      await options.onStarted?.(part);
      options.signal?.throwIfAborted();
    } catch (cause) {
      options.signal?.throwIfAborted();
      const message = `${partLabel(part)} did not start: ${errorMessage(cause)}`;
      if (!part.optional) throw new PatchbayError('plugin_start_failed', message, { cause });
      options.logger.error(message, { plugin: part.name, error: cause });
      if (part.state === 'started') await stopPart(part, options.logger);
      part.state = 'failed';
    }
  }
}

const lateAdvice =
  'if the machine is busy, raise startTimeoutMs in the config; otherwise the log and "patchbay doctor" show what is wrong';

async function startPart(part: Part, { timeoutMs, logger, signal }: StartOptions): Promise<void> {
  const controller = new AbortController();
  const starting = (async () => part.instance.start?.(controller.signal))();
  const abandon = (reason: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    // It may still start later, and would then keep its resources open.
    starting.then(
      () => stopPart(part, logger),
      () => undefined,
    );
  };
  const late = () => abandon(new DOMException(`The plugin did not start within ${timeoutMs} ms`, 'TimeoutError'));
  await withTimeout(unlessAborted(starting, signal), timeoutMs, late).catch((error: unknown) => {
    if (signal?.aborted) abandon(signal.reason);
    else if (controller.signal.aborted) throw new Error(`${errorMessage(error)}; ${lateAdvice}`, { cause: error });
    throw error;
  });
  part.state = 'started';
}

const STOP_TIMEOUT_MS = 10_000;

/** Stop all started parts in reverse order. Continues after failures, and returns them. */
export async function stopParts(parts: readonly Part[], logger: Logger): Promise<Error[]> {
  const failures: Error[] = [];
  for (const part of parts.toReversed()) {
    const { state } = part;
    if (state === 'stopped') continue;
    if (state === 'started') part.state = 'stopped';
    const failure = state === 'started' ? await stopPart(part, logger) : undefined;
    if (failure !== undefined) failures.push(failure);
    await part.release?.();
  }
  return failures;
}

async function stopPart(part: Part, logger: Logger): Promise<Error | undefined> {
  try {
    await withTimeout((async () => part.instance.stop?.())(), STOP_TIMEOUT_MS);
    return undefined;
  } catch (cause) {
    const failure = new Error(`${partLabel(part)} did not stop cleanly: ${errorMessage(cause)}`, { cause });
    logger.error(failure.message, { plugin: part.name, error: cause });
    return failure;
  }
}
