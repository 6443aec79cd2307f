import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import { ask, type ServerProcess, startServerProcess, temporaryData } from '../driver/server-process.ts';

export interface KilledReport {
  /** Executions that ran when the server was killed. */
  readonly running: number;
  /** Milliseconds from the kill until no process of an execution was left. */
  readonly goneMs: number;
  /** The statuses of those executions after the next start, each once. */
  readonly statuses: readonly string[];
  /** Processes of executions that outlived the server. */
  readonly survivors: readonly string[];
  /** Folders for sockets that are there after the next start; one belongs to it. */
  readonly folders: number;
}

const PAGE = 100;
const GONE_MS = 5_000;

const source = (code: string) => ({ name: 'f', input: { type: 'object' }, output: { type: 'object' }, code });

async function statusesOf(server: ServerProcess, id: string): Promise<readonly string[]> {
  const { body } = await ask(server, 'GET', `/functions/${id}/executions?limit=${PAGE}`);
  return (body['data'] as { readonly status: string }[]).map(({ status }) => status);
}

/** Kill a server while so many executions run, at most 100: half of them compute, half of them wait. */
export async function killWhileRunning(count: number): Promise<KilledReport> {
  const data = await temporaryData();
  const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { maxConcurrent: ${count}, queueTimeoutMs: 60000 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
executions: { timeoutMs: 60000 }
`;
  let server = await startServerProcess(data.path, { config });
  try {
    const ids: string[] = [];
    for (const code of [
      'export default () => { console.log("runs"); for (;;); }',
      'export default () => new Promise((resolve) => setTimeout(resolve, 600_000))',
    ]) {
      const { body } = await ask(server, 'POST', '/functions', source(code));
      ids.push(String(body['id']));
    }
    const answers = Array.from({ length: count }, (_, n) =>
      ask(server, 'POST', `/functions/${ids[n % ids.length]}/execute`, { input: {} }).catch(() => undefined),
    );
    await untilAllRun(server, ids, count, data.path);
    const killedAt = performance.now();
    await server.end('SIGKILL');
    await Promise.all(answers);
    while (sandboxProcesses(data.path).length > 0 && performance.now() - killedAt < GONE_MS) await delay(5);
    const goneMs = performance.now() - killedAt;
    const survivors = sandboxProcesses(data.path);
    server = await startServerProcess(data.path);
    const statuses = (await Promise.all(ids.map((id) => statusesOf(server, id)))).flat();
    const folders = readdirSync(data.path).filter((name) => name.startsWith('patchbay-') && !name.includes('.'));
    return { running: statuses.length, goneMs, statuses: [...new Set(statuses)], survivors, folders: folders.length };
  } finally {
    await server.end('SIGKILL');
    await data.remove();
  }
}

async function untilAllRun(server: ServerProcess, ids: readonly string[], count: number, data: string): Promise<void> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    const statuses = (await Promise.all(ids.map((id) => statusesOf(server, id)))).flat();
    if (statuses.length === count && statuses.every((status) => status === 'running')) {
      if (sandboxProcesses(data).length >= count) return;
    }
    await delay(25);
  }
  throw new Error('not all executions began to run');
}
