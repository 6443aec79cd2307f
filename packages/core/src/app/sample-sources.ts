import { hostVersion } from '../config/plugin-manifest.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Sample } from '../contracts/telemetry.ts';
import type { Deployments } from '../gateway/deployments.ts';
import { modelSamples } from './model-samples.ts';
import { queueSamples } from './queue-samples.ts';
import { webhookSamples } from './webhook-samples.ts';

/** What an app is asked for when somebody looks at its metrics. */
export interface MeasuredState {
  readonly storage: Storage;
  /** Whether jobs are rows of the storage. */
  readonly hasStoredJobs: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The executor that is mounted, and the name of its plugin. */
  readonly executor: () => { readonly plugin: string; readonly instance: Executor } | undefined;
  readonly deployments: () => Deployments;
  readonly health: () => Promise<Readonly<Record<string, Health>>>;
  readonly activeRequests: () => number;
  readonly config: () => readonly Sample[];
}

/** Values of a moment, asked for by whoever looks. A part that cannot answer is left out, and the log says why. */
export async function currentSamples(state: MeasuredState): Promise<readonly Sample[]> {
  const { storage, clock, logger } = state;
  const attempt = async (what: string, read: () => Promise<readonly Sample[]>): Promise<readonly Sample[]> => {
    try {
      return await read();
    } catch (error) {
      // Metrics are asked for most urgently while the storage is away.
      logger.warn(`${what} could not be counted`, { error });
      return [];
    }
  };
  const [health, jobs, webhooks] = await Promise.all([
    state.health(),
    state.hasStoredJobs ? attempt('the queue', () => queueSamples(storage, clock)) : [],
    attempt('what waits for webhooks', () => webhookSamples(storage, clock)),
  ]);
  return [
    { name: 'patchbay.build.info', value: 1, attributes: { version: hostVersion(), node: process.versions.node } },
    { name: 'http.server.active_requests', value: state.activeRequests() },
    ...state.config(),
    ...healthSamples(health),
    ...executorSamples(state.executor()),
    ...modelSamples(state.deployments()),
    ...jobs,
    ...webhooks,
  ];
}

const wellness = { pass: 1, warn: 0.5, fail: 0 } as const;

function healthSamples(health: Readonly<Record<string, Health>>): readonly Sample[] {
  return Object.entries(health).map(([part, { status }]) => {
    return { name: 'patchbay.part.health', value: wellness[status], attributes: { part } };
  });
}

function executorSamples(executor: ReturnType<MeasuredState['executor']>): readonly Sample[] {
  if (executor === undefined) return [];
  const { plugin, instance } = executor;
  const { isolation = '', jail = '' } = instance.describe?.() ?? {};
  const runs = Object.entries(instance.load?.() ?? {}).map(([state, value]) => {
    return { name: 'patchbay.executor.runs', value: Number(value), attributes: { state } };
  });
  return [{ name: 'patchbay.executor.info', value: 1, attributes: { plugin, isolation, jail } }, ...runs];
}
