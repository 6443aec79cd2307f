import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from '../../crash/inspect.ts';
import { Ledger } from '../../crash/ledger.ts';
import { checkSchedules, leavesTrace, startSchedules } from '../../crash/watched-schedules.ts';
import { createRandom } from '../../driver/random.ts';
import { ask } from '../../driver/server-process.ts';
import { startTraces, type Traces } from '../../driver/traces.ts';
import { type Receiver, startReceiver, subjectOf } from '../../webhooks/receiver.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import type { Member } from '../member.ts';
import { checkDatabase, openKeys } from './check-database.ts';
import { killOneOfEach } from './kill-at-random.ts';
import { mixedClient, type Tally } from './mixed-client.ts';
import { persistent } from './persistent-ask.ts';
import { verifyAudit } from './verify-audit.ts';
import { oldestOpen, watchAges } from './watch-ages.ts';

export interface FaultOptions {
  readonly seed: number;
  /** How often a replica, a worker and PostgreSQL are killed, each. */
  readonly rounds: number;
  readonly clients: number;
  readonly workers: number;
  /** Between two requests of a client. Default: none. */
  readonly pauseMs?: number;
  /** `executions.leaseMs`. Default: its own. */
  readonly leaseMs?: number;
  readonly say?: (line: string) => void;
}

export interface FaultReport extends Tally {
  readonly kills: number;
  readonly acknowledged: number;
  /** Executions, by how they have ended. */
  readonly executions: Readonly<Record<string, number>>;
  readonly eventsTaken: number;
  /** Seconds that an execution was without an end, at most. */
  readonly longestOpen: number;
  readonly faults: readonly string[];
}

const endings = `SELECT COALESCE(status || ' with ' || (error::json->>'code'), status) AS status, COUNT(*) AS count
  FROM executions GROUP BY 1 ORDER BY 1`;

const STUCK_SECONDS = 60;
const PATIENCE_MS = 120_000;

const config = (traces: string, leaseMs: number) => `patchbay: 1
server: { consumeJobs: false }
storage: { use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}", connectTimeoutMs: 2000 } }
executor: { use: "@patchbay/executor-deno", with: { isolation: reuse, spares: 1, maxConcurrent: 2 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
startTimeoutMs: 60000
executions: { leaseMs: ${leaseMs} }
webhooks: { allow: ["127.0.0.0/8"], maxPerSecond: 5000 }
functions: { maxCalls: 10, grants: [{ functions: ["*"], hosts: ["${traces}"], addresses: ["127.0.0.0/8"] }] }
`;

/**
 * Write through two replicas, run in workers, and kill all of them and their PostgreSQL at random moments. In the end,
 * acknowledged changes exist once and were delivered.
 */
export async function replicaFaults(options: FaultOptions): Promise<FaultReport> {
  const { seed, rounds, clients, workers, pauseMs = 0, leaseMs = 15_000, say = () => undefined } = options;
  const random = createRandom(seed);
  const ledger = new Ledger();
  const tally: Tally = { retries: 0, answersLost: 0, fetchesFailed: 0, foundDone: 0 };
  const traces = await startTraces();
  const receiver = await startReceiver('receiver');
  let fleet: Fleet | undefined;
  try {
    fleet = await startFleet({ config: config(traces.url, leaseMs), replicas: 2, workers });
    const { door, database } = fleet;
    const events = ['function.created', 'function.updated', 'function.deleted'];
    const { body } = await ask(door, 'POST', '/webhooks', { url: receiver.url, events });
    receiver.secret = String(body['secret']);
    const send = persistent(door, () => undefined);
    const { body: scheduled } = await send('POST', '/functions', { ...leavesTrace(traces), description: 'scheduled' });
    ledger.add(String(scheduled['id']), 'scheduled');
    const schedules = await startSchedules(send, String(scheduled['id']), 2);

    const writing = new AbortController();
    const watching = new AbortController();
    const ages = watchAges(database, watching.signal);
    const written = Array.from({ length: clients }, (_, index) =>
      mixedClient({
        ask: persistent(door, () => {
          tally.retries += 1;
        }),
        ledger,
        tally,
        random: createRandom(random.below(2 ** 31)),
        name: `client ${index}`,
        traces: traces.url,
        pauseMs,
        signal: writing.signal,
      }).catch((error: unknown) => [String(error)]),
    );
    for (let round = 1; round <= rounds; round += 1) {
      await killOneOfEach(fleet, random);
      say(`${round} kills of each kind, ${ledger.acknowledged} acknowledged, ${tally.retries} sent again`);
    }
    writing.abort();
    const faults = (await Promise.all(written)).flat();
    faults.push(...(await checkSchedules(send, schedules, traces)));
    const { acknowledged } = ledger;
    const subjects = [...ledger.entries.values()].flatMap(({ id, versions, deleted }) => [
      ...versions.map((_, index) => subjectOf(id, index + 1)),
      // Deletions have no version.
      ...(deleted ? [subjectOf(id, 0)] : []),
    ]);
    say(`${acknowledged} acknowledged; the rest is being run and delivered`);
    faults.push(...(await settled(fleet, receiver, subjects)));
    watching.abort();
    const longestOpen = await ages;
    if (longestOpen > STUCK_SECONDS) faults.push(`an execution had no end for ${longestOpen} s`);
    faults.push(...checkTraces(traces, ledger), ...(await inspect(door, ledger)), ...(await checkDatabase(database)));
    const audit = await verifyAudit(fleet.replicas[0] as Member, fleet.env);
    if (audit !== undefined) faults.push(audit);
    const ended = await database.query(endings);
    const executions = Object.fromEntries(ended.map((row) => [String(row['status']), Number(row['count'])]));
    for (const member of [...fleet.replicas, ...fleet.workers]) faults.push(...member.faults);
    faults.push(...receiver.faults);
    const eventsTaken = receiver.taken.size;
    return { ...tally, kills: rounds * 3, acknowledged, executions, eventsTaken, longestOpen, faults };
  } finally {
    await fleet?.stop();
    await receiver.close();
    await traces.stop();
  }
}

/** Wait until nothing waits any more: no execution, no event, and no key. */
async function settled({ database }: Fleet, receiver: Receiver, subjects: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  const missing = () => subjects.filter((subject) => !receiver.taken.has(subject));
  for (;;) {
    const open = await oldestOpen(database);
    if (open === 0 && missing().length === 0 && (await database.query(openKeys)).length === 0) return [];
    if (performance.now() > deadline) return missing().map((subject) => `${subject} was never delivered`);
    await delay(200);
  }
}

/** Under one key a function leaves one trace at most, and one where its end was acknowledged. */
function checkTraces({ counts }: Traces, { executions }: Ledger): string[] {
  return [
    ...[...counts].filter(([, count]) => count > 1).map(([text, count]) => `"${text}" ran ${count} times`),
    ...[...executions.values()].filter((text) => !counts.has(text)).map((text) => `"${text}" completed and never ran`),
  ];
}
