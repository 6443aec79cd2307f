import { unlessAborted } from '@patchbay/contracts/base/signals';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Sample } from '@patchbay/contracts/telemetry';
import type { AppConfig, CompleteConfig } from '../config/app-config.ts';
import { configInForce, isReplaceable, mountChanges, optionChanges } from '../config/changed-options.ts';
import { configSecrets } from '../config/config-secrets.ts';
import { type LoadedAppConfig, loadAppConfig } from '../config/load-mounts.ts';
import type { PluginMount } from '../config/mounts.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { AppHost, ReloadReport } from './app.ts';
import type { Container } from './container.ts';
import { createPart, type Part, type PartOptions, startParts, stopParts } from './parts.ts';
import { type DefaultMounts, withDefaultMounts } from './platform.ts';
import type { RequestTracker } from './request-context.ts';
import type { Services, ServicesInForce } from './services.ts';

interface Mounting extends PartOptions {
  readonly container: Container;
  readonly redactor: Redactor;
  readonly bases: readonly string[];
  readonly defaults: DefaultMounts;
}

interface ReloaderDependencies {
  readonly mounting: Mounting;
  readonly requests: RequestTracker;
  readonly inForce: ServicesInForce;
  readonly compose: (
    config: CompleteConfig,
    parts: readonly Part[],
    previous: Services | undefined,
  ) => Promise<Services>;
  readonly onReplaced: () => void;
  readonly measuring: Pick<Measuring, 'count'>;
  readonly clock: Clock;
}

interface Mounted {
  readonly mount: PluginMount;
  readonly part: Part;
}

export type Reloader = Awaited<ReturnType<typeof createReloader>>;

/** The active plugins, and their replacement together with the services. */
export async function createReloader(
  { mounting, requests, inForce, compose, onReplaced, measuring, clock }: ReloaderDependencies,
  first: LoadedAppConfig,
  firstParts: readonly Part[],
) {
  const { container, redactor, logger, directory, bases, defaults } = mounting;
  const mountOf = new Map(first.mounts.map((mount) => [mount.name, mount]));
  let mounted = firstParts.flatMap((part) => {
    const mount = mountOf.get(part.name);
    return mount === undefined ? [] : [{ mount, part }];
  });
  let { config } = first;
  inForce.replace(await compose(config, firstParts, undefined));
  const retiring = new Set<Part>();
  const stopping = new Set<Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();
  let loadedAt = clock.now();
  let refused = false;
  // From startup on, so that the first one shows as an increase.
  for (const result of ['done', 'refused']) measuring.count('patchbay.config.reloads', 0, { result });

  const retire = async (parts: readonly Part[]): Promise<void> => {
    for (const part of parts) retiring.add(part);
    await requests.drained();
    for (const part of parts) retiring.delete(part);
    const stopped = stopParts(parts, logger);
    stopping.add(stopped);
    await stopped;
    stopping.delete(stopped);
  };

  const replace = async (given: AppConfig): Promise<ReloadReport> => {
    closing.signal.throwIfAborted();
    const loading = loadAppConfig(withDefaultMounts(given, defaults), { directory, bases });
    const { config: wanted, mounts } = await unlessAborted(loading, closing.signal);
    redactor.hide(configSecrets(wanted, mounts));

    const plan = planOf(mounted, mounts);
    const options = optionChanges(config, wanted);
    const report = {
      changed: [...plan.changed, ...options.changed],
      needsRestart: [...plan.needsRestart, ...options.needsRestart],
    };
    const started: Part[] = [];
    try {
      const made = plan.fresh.map((mount) => {
        const part = createPart(mount, container, mounting);
        started.push(part);
        return { mount, part };
      });
      await startParts(started, { timeoutMs: wanted.startTimeoutMs, logger, signal: closing.signal });
      // Possible dependencies stay in front: plugins are stopped in reverse order.
      const next = [...mounted.filter((each) => plan.kept.includes(each)), ...made];
      const complete = configInForce(config, wanted);
      const composing = compose(complete, inOrder(next, mounts), inForce.current);
      const services = await unlessAborted(composing, closing.signal);
      // From here on nothing fails or waits: the next request uses the new services.
      const left = mounted.filter((each) => !next.includes(each)).map(({ part }) => part);
      [mounted, config] = [next, complete];
      inForce.replace(services);
      onReplaced();
      void retire(left);
      return report;
    } catch (error) {
      await stopParts(started, logger);
      throw error;
    }
  };

  return {
    get parts(): readonly Part[] {
      return mounted.map(({ part }) => part);
    },
    /**
     * Validate and start new plugins, then swap everything atomically. Plugins that are no longer needed stop as soon as
     * all requests that may use them have ended.
     *
     * @throws PatchbayError as `createApp`, or the error of reading the config. Nothing is changed then.
     */
    async reload(given: Parameters<AppHost['reload']>[0]): Promise<ReloadReport> {
      try {
        const next = typeof given === 'function' ? await given() : given;
        const before = last;
        const turn = (async () => {
          await before;
          return await replace(next);
        })();
        last = turn.catch(() => undefined);
        const report = await turn;
        [loadedAt, refused] = [clock.now(), false];
        measuring.count('patchbay.config.reloads', 1, { result: 'done' });
        return report;
      } catch (error) {
        // The process is stopping: that is not an error of the config.
        if (PatchbayError.is(error) && error.code === 'shutting_down') throw error;
        refused = true;
        measuring.count('patchbay.config.reloads', 1, { result: 'refused' });
        throw error;
      }
    },
    samples: (): readonly Sample[] => [
      { name: 'patchbay.config.loaded.timestamp', value: loadedAt / 1_000 },
      { name: 'patchbay.config.refused', value: refused ? 1 : 0 },
    ],
    /** Reject further reloads and abort a running one. Resolves when it has been rolled back. */
    async close(): Promise<void> {
      closing.abort(new PatchbayError('shutting_down', 'the server is shutting down'));
      await last;
    },
    /** Stop all plugins, including those still used by requests from before a reload. Continues after failures, and returns them. */
    async stop(): Promise<readonly Error[]> {
      const parts = [...mounted.map(({ part }) => part), ...retiring];
      const failures = await stopParts(parts, logger);
      await Promise.all(stopping);
      return failures;
    },
  };
}

/** Partitions the mounts of a new config: already running, to be created, and pending until the next start. */
function planOf(mounted: readonly Mounted[], mounts: readonly PluginMount[]) {
  const running = new Map(mounted.map((each) => [each.mount.name, each]));
  const kept: Mounted[] = [];
  const fresh: PluginMount[] = [];
  const changed: string[] = [];
  const needsRestart: string[] = [];
  for (const mount of mounts) {
    const known = running.get(mount.name);
    running.delete(mount.name);
    const changes = known === undefined ? [mount.name] : mountChanges(known.mount, mount);
    // An optional plugin that did not start is retried.
    const isWell = known?.part.state === 'started';
    if (known !== undefined && changes.length === 0 && isWell) kept.push(known);
    else if (isReplaceable(mount, known?.mount)) {
      fresh.push(mount);
      changed.push(...(changes.length > 0 ? changes : [mount.name]));
    } else {
      if (known !== undefined) kept.push(known);
      needsRestart.push(...changes);
    }
  }
  for (const [name, each] of running) {
    if (each.mount.kind !== 'executor' && isReplaceable(each.mount, each.mount)) changed.push(name);
    else {
      needsRestart.push(name);
      kept.push(each);
    }
  }
  return { kept, fresh, changed, needsRestart };
}

/** Authenticators and models are tried in the order of the file. */
function inOrder(mounted: readonly Mounted[], mounts: readonly PluginMount[]): readonly Part[] {
  const places = new Map(mounts.map(({ name }, index) => [name, index]));
  const placeOf = ({ mount }: Mounted) => places.get(mount.name) ?? -1;
  return mounted.toSorted((one, other) => placeOf(one) - placeOf(other)).map(({ part }) => part);
}
