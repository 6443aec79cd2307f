import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { App } from './app.ts';
import type { Composed } from './compose-services.ts';
import type { Container } from './container.ts';
import { createHealthMonitor } from './health-monitor.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Part } from './part.ts';
import { createRequestContext } from './request-context.ts';
import { RequestTracker } from './request-tracker.ts';
import { stopParts } from './stop-parts.ts';
import { newId } from './type-id.ts';

const DRAIN_MS = 10_000;

/** Milliseconds that requests get, once they were aborted, to write down what became of them. */
const ABORTED_GRACE_MS = 2_000;

/** Milliseconds at most that webhooks get to answer what is being sent to them. */
const SENDING_GRACE_MS = 5_000;

export interface RunningParts {
  readonly parts: readonly Part[];
  readonly container: Container;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Its signal is that of the app. */
  readonly stopping: AbortController;
  /** Stopped last: plugins may still use it while they stop. */
  readonly transport: { stop(): Promise<void> };
  readonly composed: Composed;
}

/** Put an app around parts that have started. */
export function createRunningApp(running: RunningParts): App {
  const { parts, container, clock, logger, redactor, stopping, transport, composed } = running;
  const { background, dispatcher } = composed;
  const requests = new RequestTracker();
  const housekeeping = startHousekeeping(composed.chores, logger);
  const monitor = createHealthMonitor(parts, composed.health, logger);
  let stopped: Promise<void> | undefined;

  const release = async (drainMs: number): Promise<void> => {
    background.drain();
    dispatcher.drain();
    await requests.idle(drainMs);
    const reason = new PatchbayError('shutting_down', 'the server is shutting down');
    stopping.abort(reason);
    requests.abort(reason);
    await requests.idle(ABORTED_GRACE_MS);
    await housekeeping.stop();
    await background.stop().catch((error: unknown) => {
      // Its lease runs out, and others close what it leaves.
      logger.warn('the storage could not be told that this server stops', { error });
    });
    await composed.recorder.stop();
    await dispatcher.stop(Math.min(drainMs, SENDING_GRACE_MS));
    await composed.ledger.stop();
    await composed.observer.stop();
    const failures = await stopParts(parts, logger);
    await transport.stop();
    if (failures.length === 0) return;
    throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  };
  const stop = (drainMs = DRAIN_MS): Promise<void> => {
    stopped ??= release(drainMs);
    return stopped;
  };

  const app: App = {
    ...composed.services,
    clock,
    logger,
    redact: (text) => redactor.text(text),
    signal: stopping.signal,
    resolve: (ref) => container.resolve(ref),
    async health() {
      const health = await monitor.check();
      const failing = Object.values(health).some(({ status }) => status === 'fail');
      if (stopped !== undefined) return { status: 'draining', parts: health };
      return { status: failing ? 'degraded' : 'ready', parts: health };
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
