import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import type { LogEntry } from '../driver/server-log.ts';
import {
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

const configText = (concurrency: number, more = '') => `patchbay: 1
server: { consumeJobs: false }
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1, queueTimeoutMs: 60000, maxConcurrent: 8 } }
executions: { asyncTimeoutMs: 600000, asyncConcurrency: ${concurrency} }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
limits: { off: true }
${more}`;

let data: TemporaryData;
let server: ServerProcess;
let worker: ServerProcess;

beforeAll(async () => {
  data = await temporaryData();
  server = await startServerProcess(data.path, { config: configText(1) });
  worker = await startServerProcess(data.path, { arguments: ['worker', '--port', '0'], readyMessage: 'working' });
});

afterAll(async () => {
  await worker.end('SIGTERM');
  await server.end('SIGTERM');
  await data.remove();
});

async function reload(text: string, message = 'reloaded the config'): Promise<LogEntry> {
  const before = worker.log.filter((entry) => entry.message === message).length;
  await writeFile(join(data.path, 'next'), text);
  await rename(join(data.path, 'next'), join(data.path, 'patchbay.config.yaml'));
  worker.process.kill('SIGHUP');
  return await worker.logged(message, before + 1);
}

async function statuses(path: string): Promise<Readonly<Record<string, number>>> {
  const { body } = await ask(server, 'GET', `${path}/executions`);
  const counts: Record<string, number> = {};
  for (const { status } of body['data'] as { status: string }[]) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('SIGHUP of a worker', () => {
  it('raises and lowers concurrency without interrupting an execution', { timeout: 120_000 }, async () => {
    const code = 'export default ({ ms }) => new Promise((resolve) => setTimeout(() => resolve({ ms }), ms))';
    const { body } = await ask(server, 'POST', '/functions', { ...echo, code });
    const path = `/functions/${String(body['id'])}`;
    const enqueue = async (ms: number): Promise<string> => {
      const request = ask(server, 'POST', `${path}/execute`, { input: { ms } }, { prefer: 'respond-async' });
      return String((await request).body['id']);
    };
    const ids = await Promise.all(Array.from({ length: 4 }, () => enqueue(300_000)));
    await expect.poll(() => statuses(path), { timeout: 30_000 }).toEqual({ running: 1, queued: 3 });
    expect(await reload(configText(4))).toMatchObject({ changed: ['executions.asyncConcurrency'] });
    await expect.poll(() => statuses(path), { timeout: 30_000 }).toEqual({ running: 4 });

    await reload(configText(2));
    await enqueue(1);
    await Promise.all(ids.slice(0, 2).map((id) => ask(server, 'DELETE', `/executions/${id}`)));

    await expect.poll(() => statuses(path), { timeout: 30_000 }).toEqual({ running: 2, queued: 1, cancelled: 2 });
    await Promise.all(ids.slice(2).map((id) => ask(server, 'DELETE', `/executions/${id}`)));
    await expect.poll(() => statuses(path), { timeout: 30_000 }).toEqual({ completed: 1, cancelled: 4 });
  });

  it('names the options of workers that need a restart, and none of servers', async () => {
    const more = 'worker: { port: 4999, drainTimeoutMs: 20000 }\n';
    const text = configText(2, more).replace('consumeJobs: false', 'consumeJobs: false, port: 4998');
    expect(await reload(text)).toMatchObject({ changed: ['worker.drainTimeoutMs'] });
    const warned = await worker.logged('part of the new config requires a restart');
    expect(warned['needsRestart']).toEqual(['worker.port']);
  });

  it('stops in order with no error in its log', async () => {
    expect([await worker.end('SIGTERM'), await server.end('SIGTERM')]).toEqual([{ code: 0 }, { code: 0 }]);
    expect([...worker.log, ...server.log].filter(({ level }) => level === 'error')).toEqual([]);
  });
});
