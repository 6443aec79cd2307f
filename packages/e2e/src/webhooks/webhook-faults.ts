import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { selfSignedCertificate } from '@patchbay/testing';
import { createRandom } from '../driver/random.ts';
import { ask, type ServerProcess, startServerProcess, temporaryData } from '../driver/server-process.ts';
import { quickFault } from './behaviours.ts';
import { makeEvents } from './make-events.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export interface FaultOptions {
  readonly seed: number;
  /** Events that are made, at least. */
  readonly events: number;
  /** How often the server is killed while they are. */
  readonly kills: number;
  /** Milliseconds a receiver may take to respond. */
  readonly timeoutMs: number;
  /** Folder of the database. A disk that others use as well decides how fast events are made. Default: one beside. */
  readonly folder?: string;
  readonly say?: (line: string) => void;
}

export interface ReceiverReport {
  readonly name: string;
  readonly taken: number;
  /** Events that were taken once more. */
  readonly duplicates: number;
  readonly attempts: Readonly<Record<string, number>>;
}

export interface FaultReport {
  readonly acknowledged: number;
  readonly kills: number;
  readonly receivers: readonly ReceiverReport[];
  /** Events that were lost, changed or not signed. */
  readonly faults: readonly string[];
}

const CLIENTS = 8;
const PATIENCE_MS = 15 * 60_000;

/**
 * Make events while receivers fail in every way they can and the server is killed at random. When enough were made, all
 * receivers become healthy, what they have missed is replayed, and each must have taken everything that was acknowledged.
 */
export async function webhookFaults(options: FaultOptions): Promise<FaultReport> {
  const { seed, events, kills, timeoutMs, folder, say = () => undefined } = options;
  const random = createRandom(seed);
  const data = await temporaryData();
  const trusted = selfSignedCertificate('127.0.0.1');
  const authority = join(data.path, 'authority.pem');
  await writeFile(authority, trusted.certificate);
  const databases = folder === undefined ? data.path : await mkdtemp(join(folder, 'patchbay-'));
  const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "${databases}/patchbay.db" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
secretFile: ./secret
limits: { off: true }
webhooks: { allow: ["127.0.0.0/8"], timeoutMs: ${timeoutMs}, maxPerSecond: 5000 }
`;
  const start = () => startServerProcess(data.path, { config, env: { NODE_EXTRA_CA_CERTS: authority } });
  const pem = ({ certificate, key }: typeof trusted) => ({ cert: certificate, key });
  const tls = await startReceiver('TLS error', pem(selfSignedCertificate('127.0.0.1')));
  const steady = await startReceiver('healthy');
  const moody = await startReceiver('one in four');
  const hanging = await startReceiver('hangs');
  const resetting = await startReceiver('resets');
  const receivers: readonly Receiver[] = [steady, moody, hanging, resetting, tls];
  let server = await start();
  let killed = 0;
  try {
    const since = new Date(Date.now() - 1_000).toISOString();
    const ids = new Map<Receiver, string>();
    for (const receiver of receivers) {
      const { body } = await ask(server, 'POST', '/webhooks', { url: receiver.url, events: ['*'] });
      receiver.secret = String(body['secret']);
      ids.set(receiver, String(body['id']));
    }
    moody.behave = (attempt) => quickFault(random, attempt === 1 ? 25 : 10);
    hanging.behave = () => 'hang';
    resetting.behave = () => 'reset';

    const acknowledged = new Set<string>();
    const pauses = Array.from({ length: kills }, () => 1 + random.below(Math.ceil((2 * events) / (kills + 1))));
    let untilKill = pauses.pop() ?? Number.POSITIVE_INFINITY;
    let restarting: Promise<void> | undefined;
    const restart = async (victim: ServerProcess): Promise<void> => {
      await victim.end('SIGKILL');
      server = await start();
      killed += 1;
      untilKill = pauses.pop() ?? Number.POSITIVE_INFINITY;
      restarting = undefined;
      say(`killed ${killed} times, ${acknowledged.size} acknowledged, the healthy receiver has ${steady.taken.size}`);
    };
    const onAcknowledged = (): void => {
      untilKill -= 1;
      if (untilKill <= 0 && restarting === undefined) restarting = restart(server);
    };
    const enough = () => acknowledged.size >= events;
    const making = { enough, onAcknowledged };
    await Promise.all(Array.from({ length: CLIENTS }, () => makeEvents(() => server, { acknowledged }, making)));
    await restarting;
    for (; killed < kills; ) await restart(server);

    say(`${acknowledged.size} acknowledged; all receivers become healthy`);
    for (const receiver of receivers) receiver.behave = () => undefined;
    tls.trust(pem(trusted));
    const lost = await allTaken(receivers, acknowledged, say, async (receiver) => {
      await ask(server, 'POST', `/webhooks/${ids.get(receiver)}/replay`, { since });
    });
    const faults = [
      ...lost,
      ...receivers.flatMap(({ name, faults: found }) => found.map((each) => `${name}: ${each}`)),
    ];
    const { code } = await server.end('SIGTERM');
    if (code !== 0) faults.push(`the last server ended with ${code}: ${server.errors()}`);
    return { acknowledged: acknowledged.size, kills: killed, receivers: receivers.map(report), faults };
  } finally {
    await server.end('SIGKILL');
    for (const receiver of receivers) await receiver.close();
    await data.remove();
    await rm(databases, { recursive: true, force: true });
  }
}

/** Wait until each has everything; what is missing in the end. */
async function allTaken(
  receivers: readonly Receiver[],
  acknowledged: ReadonlySet<string>,
  say: (line: string) => void,
  replay: (receiver: Receiver) => Promise<void>,
): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  const missing = ({ taken }: Receiver) => [...acknowledged].filter((subject) => !taken.has(subject));
  for (const receiver of receivers) await replay(receiver);
  for (let turn = 1; performance.now() < deadline; turn += 1) {
    const left = receivers.map((receiver) => missing(receiver).length);
    if (left.every((count) => count === 0)) return [];
    if (turn % 25 === 0) say(`to be taken: ${left.join(', ')}`);
    await delay(200);
  }
  return receivers.flatMap((receiver) => missing(receiver).map((subject) => `${receiver.name} never got ${subject}`));
}

function report({ name, taken, attempts }: Receiver): ReceiverReport {
  const duplicates = [...taken.values()].reduce((sum, count) => sum + count - 1, 0);
  return { name, taken: taken.size, duplicates, attempts: Object.fromEntries(attempts) };
}
