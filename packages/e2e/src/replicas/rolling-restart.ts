import { setTimeout as delay } from 'node:timers/promises';
import { echo } from '../driver/sample-functions.ts';
import { adminKey, ask } from '../driver/server-process.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { watchReadiness } from './watch-readiness.ts';

/**
 * How the door learns that a replica goes: `told` before it is ended, as a deployment that takes it out first; or
 * `late`, at its next look at `/readyz`, while `server.drainDelayMs` keeps the replica serving.
 */
export type DoorKind = 'told' | 'late';

export interface RollingOptions {
  readonly door: DoorKind;
  /** How often all replicas are restarted, one after the other. */
  readonly rounds: number;
  readonly replicas: number;
  /** Of each kind of request. */
  readonly clients: number;
  /** Between the requests of a client. Default: none. */
  readonly pauseMs?: number;
  readonly say?: (line: string) => void;
}

export interface RollingReport {
  readonly restarts: number;
  /** Requests that went well, by kind. */
  readonly done: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

const LOOK_MS = 1_000;
/** Two looks, and an answer to one that takes its time. */
const DRAIN_DELAY_MS = 3 * LOOK_MS;

const config = (delayMs: number) => `patchbay: 1
server: { drainDelayMs: ${delayMs} }
storage: { use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }
executor: { use: "@patchbay/executor-deno", with: { isolation: reuse, spares: 1, queueTimeoutMs: 30000 } }
executions: { timeoutMs: 30000 }
providers: { demo: { use: "@patchbay/provider-demo" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
`;

type Load = Readonly<Record<string, () => Promise<string | undefined>>>;

/** Requests of the load; each returns what was wrong with its answer. */
function loadOn(url: string, functionId: string): Load {
  const path = `/functions/${functionId}`;
  const seen = (status: number, isGood: boolean, body: unknown) =>
    isGood ? undefined : `${status} ${JSON.stringify(body).slice(0, 300)}`;
  return {
    async read() {
      const { status, body } = await ask({ url }, 'GET', path);
      return seen(status, status === 200 && body['id'] === functionId, body);
    },
    async execute() {
      const { status, body } = await ask({ url }, 'POST', `${path}/execute`, { input: { a: 1 } });
      return seen(status, status === 200 && body['status'] === 'completed', body);
    },
    async stream() {
      const messages = [
        { role: 'user', content: 'Tell me of a morning in the mountains, and of the evening after it.' },
      ];
      const response = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo/extractive', stream: true, messages }),
      });
      const text = await response.text();
      return seen(response.status, response.status === 200 && /^event: done$/m.test(text), text);
    },
  };
}

/** Restart every replica in turn while clients read, execute and stream. Not one request may fail. */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { door: kind, rounds, replicas, clients, pauseMs, say = () => undefined } = options;
  const fleet = await startFleet({ config: config(kind === 'late' ? DRAIN_DELAY_MS : 0), replicas, workers: 0 });
  const loading = new AbortController();
  const done: Record<string, number> = {};
  const faults: string[] = [];
  const { door } = fleet;
  const urls = () => fleet.replicas.map(({ process }) => process.url);
  const watch = kind === 'late' ? watchReadiness(door, urls, LOOK_MS) : undefined;
  try {
    const made = await ask(door, 'POST', '/functions', echo);
    const load = Object.entries(loadOn(door.url, String(made.body['id'])));
    const running = load.flatMap(([name, request]) =>
      Array.from({ length: clients }, async () => {
        while (!loading.signal.aborted) {
          const fault = await request().catch((error: unknown) => String((error as Error).cause ?? error));
          if (fault === undefined) done[name] = (done[name] ?? 0) + 1;
          else faults.push(`${name}: ${fault}`);
          if (pauseMs !== undefined) await delay(pauseMs);
        }
      }),
    );
    for (let round = 1; round <= rounds; round += 1) {
      for (const member of fleet.replicas) {
        if (kind === 'told') await takeOut(fleet, member.process.url);
        const code = await member.end('SIGTERM');
        if (code !== 0) faults.push(`a replica ended with ${code}`);
        await member.restart();
        if (kind === 'told') fleet.openDoor();
        else await delay(2 * LOOK_MS);
      }
      say(`${round * replicas} restarts, ${JSON.stringify(done)} done, ${faults.length} faults`);
    }
    loading.abort();
    await Promise.all(running);
    for (const member of fleet.replicas) faults.push(...member.faults);
    return { restarts: rounds * replicas, done, faults };
  } finally {
    loading.abort();
    watch?.stop();
    await fleet.stop();
  }
}

/** No more new requests for this one; those that it has are its own to finish. */
async function takeOut(fleet: Fleet, url: string): Promise<void> {
  fleet.door.use(fleet.replicas.map(({ process }) => process.url).filter((other) => other !== url));
  // Requests that the balancer has sent may still be in the socket.
  await delay(100);
}
