import { startHousekeeping } from '../base/housekeeping.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { App, AppServices } from './app.ts';
import type { AppTelemetry } from './app-telemetry.ts';
import type { Lasting } from './compose-lasting.ts';
import { createConfigMeasures } from './config-measures.ts';
import type { Container } from './container.ts';
import { createHealthMonitor } from './health-monitor.ts';
import type { Generations } from './reload.ts';
import { createRequestContext } from './request-context.ts';
import type { RequestTracker } from './request-tracker.ts';
import type { MeasuredState } from './sample-sources.ts';
import { standIn } from './stand-in.ts';

const DRAIN_MS = 10_000;

/** Milliseconds that requests get, once they were aborted, to write down what became of them. */
const ABORTED_GRACE_MS = 2_000;

/** Milliseconds at most that webhooks get to answer what is being sent to them. */
const SENDING_GRACE_MS = 5_000;

export interface RunningParts {
  readonly generations: Generations;
  readonly telemetry: AppTelemetry;
  readonly measured: Pick<MeasuredState, 'storage' | 'hasStoredJobs' | 'clock' | 'logger'>;
  readonly lasting: Lasting;
  /** What `generations` wait for. */
  readonly requests: RequestTracker;
  readonly container: Container;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Its signal is that of the app. */
  readonly stopping: AbortController;
  /** Stopped last: plugins may still use it while they stop. */
  readonly transport: { stop(): Promise<void> };
}

/** Put an app around parts that have started. */
export function createRunningApp(running: RunningParts): App {
  const {
    generations,
    lasting,
    requests,
    telemetry,
    measured,
    container,
    clock,
    logger,
    redactor,
    stopping,
    transport,
  } = running;
  const { background } = lasting;
  const { dispatcher } = lasting.webhooks;
  const housekeeping = startHousekeeping(lasting.chores, logger);
  const monitor = createHealthMonitor(() => generations.parts, lasting.health, logger);
  const configMeasures = createConfigMeasures(telemetry, clock);
  telemetry.observe({
    ...measured,
    executor: () => executorOf(generations),
    deployments: () => generations.current.deployments,
    health: () => monitor.check(),
    activeRequests: () => requests.size,
    config: () => configMeasures.samples(),
  });
  let announced = false;
  let stopped: Promise<void> | undefined;

  const release = async (drainMs: number): Promise<void> => {
    background.drain();
    dispatcher.drain();
    await Promise.all([generations.close(), requests.idle(drainMs)]);
    const reason = new PatchbayError('shutting_down', 'the server is shutting down');
    stopping.abort(reason);
    requests.abort(reason);
    await requests.idle(ABORTED_GRACE_MS);
    await housekeeping.stop();
    await background.stop().catch((error: unknown) => {
      // Its lease runs out, and others close what it leaves.
      logger.warn('the storage could not be told that this server stops', { error });
    });
    await lasting.recorder.stop();
    await dispatcher.stop(Math.min(drainMs, SENDING_GRACE_MS));
    await lasting.usage.ledger.stop();
    await lasting.observer.stop();
    telemetry.stop();
    const failures = await generations.stop();
    await transport.stop();
    if (failures.length === 0) return;
    throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  };
  const stop = (drainMs = DRAIN_MS): Promise<void> => {
    stopped ??= release(drainMs);
    return stopped;
  };

  const app: App = {
    ...stableServices(() => generations.current.services),
    async authenticate(credentials) {
      // It counts as under way, so that nothing that is asked here is stopped meanwhile.
      const tracked = requests.track();
      try {
        return await generations.current.services.authenticate(credentials);
      } finally {
        tracked.done();
      }
    },
    policyOf: (tenant) => generations.current.services.policyOf(tenant),
    telemetry,
    metrics: () => telemetry.metrics(),
    reload: (config) => configMeasures.reload(config, (read) => generations.reload(read)),
    clock,
    logger,
    redact: (text) => redactor.text(text),
    signal: stopping.signal,
    resolve: (ref) => container.resolve(ref),
    async health() {
      const health = await monitor.check();
      const failing = Object.values(health).some(({ status }) => status === 'fail');
      if (announced || stopped !== undefined) return { status: 'draining', parts: health };
      return { status: failing ? 'degraded' : 'ready', parts: health };
    },
    announceStop() {
      announced = true;
    },
    track(onAbort) {
      if (stopped === undefined) return requests.track(onAbort);
      throw new PatchbayError('shutting_down', 'the server is shutting down');
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
  background.start((caller) => createRequestContext({ app, caller, requestId: newId('request') }));
  dispatcher.start();
  return app;
}

function executorOf({ parts, current }: Generations): ReturnType<MeasuredState['executor']> {
  const plugin = parts.find(({ kind }) => kind === 'executor')?.plugin;
  const instance = current.mountedExecutor;
  return plugin === undefined || instance === undefined ? undefined : { plugin, instance };
}

/** Hosts may keep a service: what they keep has to go on working after a reload. */
function stableServices(current: () => AppServices): AppServices {
  const stable = Object.entries(current()).map(([name, service]) => {
    if (typeof service === 'function') return [name, service];
    const of = () => current()[name as 'functions'];
    return [name, standIn(Object.keys(service) as (keyof AppServices['functions'])[], of)];
  });
  return Object.fromEntries(stable) as AppServices;
}
