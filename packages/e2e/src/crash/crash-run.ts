import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../driver/random.ts';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import { ask, startServerProcess, temporaryData } from '../driver/server-process.ts';
import { startTraces } from '../driver/traces.ts';
import { checkDatabase } from './check-sqlite.ts';
import { inspect } from './inspect.ts';
import { Ledger } from './ledger.ts';
import { checkSchedules, leavesTrace, startSchedules } from './watched-schedules.ts';
import { writeUntilKilled } from './write-until-killed.ts';

export interface CrashReport {
  readonly seed: number;
  readonly kills: number;
  /** Writes and executions that were acknowledged. */
  readonly acknowledged: number;
  /** Executions that a kill cut off and the next start closed. */
  readonly interrupted: number;
  /** Milliseconds from each start after a kill to the first answer. */
  readonly recoveries: readonly number[];
  readonly faults: readonly string[];
}

const CLIENTS = 8;
const SCHEDULES = 3;
const ORPHANS_GONE_MS = 60_000;

const configOf = (traces: string) => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: "\${PATCHBAY_DATA}/patchbay.db" } }
executor: { use: "@patchbay/executor-deno" }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: "\${PATCHBAY_DATA}/secret"
limits: { off: true }
startTimeoutMs: 60000
functions: { grants: [{ functions: ["*"], hosts: ["${traces}"], addresses: ["127.0.0.0/8"] }] }
`;

/** Kill a server that is written to, at a random one of so many writes, again and again on the same data. */
export async function crashRun(seed: number, rounds: number, writes: number): Promise<CrashReport> {
  const random = createRandom(seed);
  const data = await temporaryData();
  const ledger = new Ledger();
  const faults: string[] = [];
  const recoveries: number[] = [];
  let interrupted = 0;
  const traces = await startTraces();
  const config = configOf(traces.url);
  let server = await startServerProcess(data.path, { config });
  const send = (method: string, path: string, body?: unknown) => ask(server, method, path, body);
  try {
    const { body: scheduled } = await send('POST', '/functions', { ...leavesTrace(traces), description: 'scheduled' });
    ledger.add(String(scheduled['id']), 'scheduled');
    const schedules = await startSchedules(send, String(scheduled['id']), SCHEDULES);
    for (let round = 0; round < rounds; round += 1) {
      const killed = server;
      let left = 1 + random.below(writes);
      const onAcknowledged = (): void => {
        left -= 1;
        if (left === 0) killed.process.kill('SIGKILL');
      };
      const writers = Array.from({ length: CLIENTS }, (_, client) =>
        writeUntilKilled({
          server,
          ledger,
          random: createRandom(random.below(2 ** 31)),
          name: `${round}.${client}`,
          onAcknowledged,
        }),
      );
      for (const refused of await Promise.all(writers)) faults.push(...refused);
      await server.exited;
      faults.push(...(await orphans(data.path)));

      const start = performance.now();
      server = await startServerProcess(data.path, { config });
      recoveries.push(performance.now() - start);
      const closed = server.log.find(({ message }) => message.startsWith('closed executions'));
      interrupted += Number(closed?.['interrupted'] ?? 0);
      faults.push(...(await inspect(server, ledger)), ...checkDatabase(data.path));
    }
    faults.push(...(await checkSchedules(send, schedules, traces)));
    const { code } = await server.end('SIGTERM');
    if (code !== 0) faults.push(`the last server ended with ${code}`);
  } finally {
    await server.end('SIGKILL');
    await traces.stop();
    await data.remove();
  }
  return { seed, kills: rounds, acknowledged: ledger.acknowledged, interrupted, recoveries, faults };
}

/** Processes that outlive their server. The kernel needs a moment to end them. */
async function orphans(data: string): Promise<readonly string[]> {
  const deadline = performance.now() + ORPHANS_GONE_MS;
  while (sandboxProcesses(data).length > 0 && performance.now() < deadline) await delay(20);
  return sandboxProcesses(data).map((line) => `left behind: ${line.slice(0, 200)}`);
}
