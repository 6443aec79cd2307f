import { createTurns } from '@patchbay/contracts/base/clock';
import { startHousekeeping } from '@patchbay/contracts/base/housekeeping';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Redactor } from '../secrets/redactor.ts';
import type { App, AppHost } from './app.ts';
import type { AppTelemetry, MeasuredState } from './app-telemetry.ts';
import type { Container } from './container.ts';
import { createHealthCheck } from './health-check.ts';
import type { Part } from './parts.ts';
import type { Reloader } from './reload.ts';
import { createRequestContext, type RequestTracker } from './request-context.ts';
import type { Resources } from './resources.ts';
import { followServices, type Services, type ServicesInForce } from './services.ts';

const DRAIN_MS = 10_000;

/** Milliseconds for aborted requests to record their outcome. */
const ABORTED_GRACE_MS = 2_000;

/** Maximum milliseconds for receivers to respond to deliveries in progress. */
const SENDING_GRACE_MS = 5_000;

interface StartedApp {
  readonly facilities: AppFacilities;
  readonly inForce: ServicesInForce;
  readonly reloader: Reloader;
  readonly resources: Resources;
  readonly requests: RequestTracker;
  readonly telemetry: AppTelemetry;
}

/** Resources created before any plugin starts, and released after the last one has stopped. */
interface AppFacilities {
  readonly container: Container;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Its signal is that of the app. */
  readonly stopping: AbortController;
  /** Stopped last: plugins may still use it while they stop. */
  readonly transport: { stop(): Promise<void> };
}

export function createRunningApp(started: StartedApp): App {
  const { facilities, inForce, reloader, resources, requests, telemetry } = started;
  const { container, clock, logger, redactor, stopping, transport } = facilities;
  const { background } = resources.executions;
  const { dispatcher } = resources.webhooks;
  const housekeeping = startHousekeeping(resources.chores, logger);
  const checkHealth = createHealthCheck(() => reloader.parts, resources.health, logger);
  telemetry.observe({
    executor: () => executorOf(reloader.parts, inForce.current),
    deployments: () => inForce.current.deployments,
    // The last export comes while parts are stopping: those that have are not failing.
    async health() {
      const health = await checkHealth();
      const stopped = new Set(reloader.parts.filter(({ state }) => state === 'stopped').map(({ name }) => name));
      return Object.fromEntries(Object.entries(health).filter(([name]) => !stopped.has(name)));
    },
    activeRequests: () => requests.size,
    config: () => reloader.samples(),
  });
  let announced = false;
  let stopped: Promise<void> | undefined;

  const release = async (drainMs: number): Promise<void> => {
    const schedulesStopped = resources.schedules.stop();
    background.drain();
    dispatcher.drain();
    await Promise.all([reloader.close(), requests.idle(drainMs), schedulesStopped]);
    const reason = new PatchbayError('shutting_down', 'the server is shutting down');
    stopping.abort(reason);
    requests.abort(reason);
    await requests.idle(ABORTED_GRACE_MS);
    await housekeeping.stop();
    await background.stop().catch((error: unknown) => {
      // Its lease expires, and other processes close its executions.
      logger.warn('the shutdown could not be recorded in the storage', { error });
    });
    await resources.recorder.stop();
    await dispatcher.stop(Math.min(drainMs, SENDING_GRACE_MS));
    await resources.usage.ledger.stop();
    await resources.usage.contents.stop();
    await resources.observer.stop();
    await resources.taskRecords.stop();
    await resources.schemas.close();
    telemetry.stop();
    const failures = await reloader.stop();
    telemetry.observe(undefined);
    await transport.stop();
    if (failures.length === 0) return;
    throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  };
  const stop = (drainMs = DRAIN_MS): Promise<void> => {
    requests.close();
    stopped ??= release(drainMs);
    return stopped;
  };

  const services = followServices(inForce, requests);
  const host: AppHost = {
    telemetry,
    metrics: () => telemetry.metrics(),
    reload: (config) => reloader.reload(config),
    clock,
    logger,
    redact: (text) => redactor.text(text),
    signal: stopping.signal,
    endOfTurn: createTurns(),
    resolve: (ref) => container.resolve(ref),
    async health() {
      const health = await checkHealth();
      const failing = Object.values(health).some(({ status }) => status === 'fail');
      if (announced || stopped !== undefined) return { status: 'draining', parts: health };
      return { status: failing ? 'degraded' : 'ready', parts: health };
    },
    announceStop() {
      announced = true;
    },
    track: requests.enter,
    stop,
  };
  const app: App = { services, host, [Symbol.asyncDispose]: () => stop() };
  background.start((caller) => createRequestContext({ app, caller, requestId: newId('request') }));
  dispatcher.start();
  resources.schedules.start();
  return app;
}

function executorOf(parts: readonly Part[], { plugins }: Services): ReturnType<MeasuredState['executor']> {
  const plugin = parts.find(({ kind }) => kind === 'executor')?.plugin;
  const instance = plugins.executor;
  return plugin === undefined || instance === undefined ? undefined : { plugin, instance };
}
