import type { Clock } from '@patchbay/contracts/clock';
import type { Logger } from '@patchbay/contracts/context';
import type { Executor } from '@patchbay/contracts/executor';
import type { Health } from '@patchbay/contracts/lifecycle';
import type { WebhookLaneRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { Sample, Telemetry } from '@patchbay/contracts/telemetry';
import type { TenantId } from '@patchbay/contracts/tenant';
import { hostVersion } from '../config/plugin-manifest.ts';
import { eventTopic, laneTopic } from '../events/webhook-outbox.ts';
import { executionTopic } from '../functions/executions/queued-executions.ts';
import type { Deployments } from '../gateway/deployments.ts';
import { createMeasuring, type MetricRegistry, metricDefinitions } from '../telemetry/measuring.ts';
import { createProcessSamples } from '../telemetry/process-samples.ts';
import { prometheusText } from '../telemetry/prometheus-text.ts';

export type AppTelemetry = ReturnType<typeof createAppTelemetry>;

export function createAppTelemetry(registry: MetricRegistry, mounted: Telemetry, stored: MeasuredStorage) {
  // One per reader: the event loop delay is measured since the previous read of the same reader.
  const own = createProcessSamples();
  const told = mounted.observe && createProcessSamples();
  let state: MeasuredState | undefined;
  const samplesBeside = async (process: typeof own) => [
    ...process.samples(),
    ...(state === undefined ? [] : await currentSamples(stored, state)),
  ];
  if (told) mounted.observe?.({ definitions: metricDefinitions, samples: () => samplesBeside(told) });
  return {
    ...createMeasuring(registry, mounted),
    /** Add the gauges of the app to those of the process. Undefined: it has stopped, and they cannot be read. */
    observe(given: MeasuredState | undefined): void {
      state = given;
    },
    metrics: async () => prometheusText(registry.collect(await samplesBeside(own))),
    stop(): void {
      own.stop();
      told?.stop();
    },
  };
}

interface MeasuredStorage {
  readonly storage: Storage;
  /** Whether jobs are rows of the storage. */
  readonly hasStoredJobs: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface MeasuredState {
  readonly executor: () => { readonly plugin: string; readonly instance: Executor } | undefined;
  readonly deployments: () => Deployments;
  readonly health: () => Promise<Readonly<Record<string, Health>>>;
  readonly activeRequests: () => number;
  readonly config: () => readonly Sample[];
}

/** The gauges of the app. One that cannot be read is omitted and logged. */
async function currentSamples(stored: MeasuredStorage, state: MeasuredState): Promise<readonly Sample[]> {
  const { storage, clock, logger } = stored;
  const attempt = async (what: string, read: () => Promise<readonly Sample[]>): Promise<readonly Sample[]> => {
    try {
      return await read();
    } catch (error) {
      // Metrics are needed most urgently while the storage is unavailable.
      logger.warn(`${what} could not be counted`, { error });
      return [];
    }
  };
  const [health, jobs, webhooks] = await Promise.all([
    state.health(),
    stored.hasStoredJobs ? attempt('the queue', () => queueSamples(storage, clock)) : [],
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

/** Maximum number of jobs to count: enough to detect a backlog. */
const MOST_JOBS = 1_000;

/** Jobs in the built-in queue, by topic. A queue that keeps its jobs elsewhere has its own metrics. */
async function queueSamples(storage: Storage, clock: Clock): Promise<readonly Sample[]> {
  const now = clock.now();
  const empty = [executionTopic, eventTopic, laneTopic].map((topic) => [topic, { jobs: 0, oldest: now }] as const);
  const topics = new Map<string, { jobs: number; oldest: number }>(empty);
  for (const { row } of await storage.scanAllTenants('jobs', { state: 'waiting' }, MOST_JOBS, 'dueAt')) {
    // For leased jobs, `dueAt` is the end of the lease.
    if (Date.parse(row.dueAt) > now) break;
    const known = topics.get(row.topic) ?? { jobs: 0, oldest: now };
    topics.set(row.topic, { jobs: known.jobs + 1, oldest: Math.min(known.oldest, Date.parse(row.dueAt)) });
  }
  const dead = new Map<string, number>(empty.map(([topic]) => [topic, 0]));
  for (const { row } of await storage.scanAllTenants('jobs', { state: 'dead' }, MOST_JOBS)) {
    dead.set(row.topic, (dead.get(row.topic) ?? 0) + 1);
  }
  const given = [...dead].map(([topic, value]) => ({ name: 'patchbay.queue.dead', value, attributes: { topic } }));
  const waiting = [...topics].flatMap(([topic, { jobs, oldest }]) => [
    { name: 'patchbay.queue.jobs', value: jobs, attributes: { topic } },
    { name: 'patchbay.queue.oldest', value: Math.max(0, now - oldest) / 1_000, attributes: { topic } },
  ]);
  return [...waiting, ...given];
}

const MOST_LANES = 1_000;

/** Webhooks whose deliveries are counted: enough to detect a backlog. */
const MOST_COUNTED = 100;

/** Counted per batch, so that requests are not delayed. */
const AT_ONCE = 5;

interface Lane {
  readonly tenant: TenantId;
  readonly row: WebhookLaneRow;
}

/** Pending deliveries and failing receivers of all webhooks. */
async function webhookSamples(storage: Storage, clock: Clock): Promise<readonly Sample[]> {
  const now = clock.now();
  const lanes: readonly Lane[] = await storage.scanAllTenants('webhookLanes', {}, MOST_LANES);
  const busy = lanes.filter(({ row }) => row.run !== null || row.alarm !== null).slice(0, MOST_COUNTED);
  const waiting = { deliveries: 0, oldest: now };
  for (let at = 0; at < busy.length; at += AT_ONCE) {
    for (const { total, dueAt } of await Promise.all(
      busy.slice(at, at + AT_ONCE).map((lane) => count(storage, lane)),
    )) {
      waiting.deliveries += total;
      waiting.oldest = Math.min(waiting.oldest, dueAt ?? now);
    }
  }
  const failing = lanes.flatMap(({ row }) => (row.failingSince === null ? [] : [Date.parse(row.failingSince)]));
  const paused = lanes.filter(({ row }) => row.pausedUntil !== null && Date.parse(row.pausedUntil) > now);
  return [
    { name: 'patchbay.webhook.deliveries', value: waiting.deliveries },
    { name: 'patchbay.webhook.oldest', value: (now - waiting.oldest) / 1_000 },
    { name: 'patchbay.webhook.receivers', value: failing.length, attributes: { state: 'failing' } },
    { name: 'patchbay.webhook.receivers', value: paused.length, attributes: { state: 'paused' } },
    { name: 'patchbay.webhook.failing', value: Math.max(0, now - Math.min(now, ...failing)) / 1_000 },
  ];
}

async function count(storage: Storage, { tenant, row }: Lane) {
  const query = { where: { lane: row.id }, sort: 'dueAt', order: 'asc', limit: 1, select: ['dueAt'] } as const;
  const { rows, total } = await storage.list(tenant, 'webhookDeliveries', query);
  return { total, dueAt: rows[0]?.dueAt ? Date.parse(rows[0].dueAt) : undefined };
}

const opened = { closed: 0, 'half-open': 0.5, open: 1 } as const;

function modelSamples(deployments: Deployments): readonly Sample[] {
  return deployments.all().flatMap(([id, { breaker, observations }]) => {
    const slash = id.indexOf('/');
    const attributes = { 'gen_ai.provider.name': id.slice(0, slash), 'gen_ai.request.model': id.slice(slash + 1) };
    return [
      { name: 'patchbay.model.active', value: observations.read().inFlight, attributes },
      { name: 'patchbay.model.circuit.open', value: opened[breaker.state()], attributes },
    ];
  });
}
