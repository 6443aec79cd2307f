import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { missingPostgres, openPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import {
  adminKey,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';
import { postgresConfig } from '../replicas/postgres-config.ts';

const builtIn = await readFile(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
const unlimited = 'limits: { key: { all: { off: true } }, tenant: { all: { off: true } } }';
/** A config for two processes, in which the key of the test is not limited, and no code runs. */
const ofTwo = (config: string): string =>
  `${config.replace(/^limits:.*$/m, unlimited).replace(/^executor:\n( .*\n)+/m, '')}
server: { processes: 2, keepAliveTimeoutMs: 1000 }
`;
const starting = { readyMessage: 'all processes listen' };

/** The processes that serve, by their parent in /proc. */
async function members({ process: { pid } }: ServerProcess): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

/** Requests at once, so that they use several connections, which the processes take in turn. */
async function askAtOnce(server: ServerProcess, count: number, headers: Record<string, string> = {}) {
  const requests = Array.from({ length: count }, () => ask(server, 'GET', '/functions', undefined, headers));
  return (await Promise.all(requests)).map(({ status }) => status);
}

const requests = /^http_server_request_duration_seconds_count\{.*http_route="\/functions",.*"200"\} (\d+)$/m;

/** Checks that a process made on its own because the limiter took too long. */
const unshared = /^patchbay_limit_unshared_total (\d+)$/m;

/** A counter of all processes, by `/metrics`. */
async function counted({ url }: ServerProcess, line: RegExp): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } });
  return Number(line.exec(await response.text())?.[1] ?? 0);
}

/** Requests that a key for six was allowed of twenty, but for those of which a busy limiter was not asked. */
async function allowedRequests(server: ServerProcess): Promise<number> {
  const statuses = await askAtOnce(server, 20, await limitedKey(server));
  const allowed = statuses.filter((status) => status === 200).length;
  expect(statuses.filter((status) => status === 429)).toHaveLength(20 - allowed);
  return Math.max(6, allowed - (await counted(server, unshared)));
}

async function limitedKey(server: ServerProcess): Promise<Record<string, string>> {
  const input = { name: 'limited', scopes: ['functions:read'], rateLimit: { requests: 1, seconds: 3600, burst: 6 } };
  const { body } = await ask(server, 'POST', '/keys', input);
  return { authorization: `Bearer ${String(body['key'])}` };
}

describe.runIf(process.platform === 'linux')('a server of two processes on SQLite', () => {
  let data: TemporaryData;
  let server: ServerProcess;

  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path, { config: ofTwo(builtIn), ...starting });
  });

  afterAll(async () => {
    await server?.end('SIGKILL');
    await data?.remove();
  });

  it('shares the limits of keys', async () => {
    expect(await allowedRequests(server)).toBe(6);
  });

  it('replaces its processes one by one without a failed request, and loses no count', async () => {
    const before = await members(server);
    const [start, replaced] = [await counted(server, requests), server.logged('replaced all processes')];
    server.process.kill('SIGUSR2');
    let [done, sent] = [false, 0];
    void replaced.then(() => {
      done = true;
    });
    while (!done) {
      sent += 4;
      expect(await askAtOnce(server, 4)).toEqual([200, 200, 200, 200]);
      // Some requests are in progress whenever a process leaves; the processes that start need the CPU.
      await delay(100);
    }
    const after = await members(server);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect((await counted(server, requests)) - start).toBe(sent);
  });

  it('goes on when a process is killed, and replaces it', async () => {
    const [victim = 0, survivor = 0] = await members(server);
    const listening = server.log.filter(({ message }) => message === 'listening').length;
    process.kill(victim, 'SIGKILL');
    const { signal } = await server.logged('a process ended unexpectedly, and is replaced');
    expect(signal).toBe('SIGKILL');
    expect(await askAtOnce(server, 4)).toEqual([200, 200, 200, 200]);
    await server.logged('listening', listening + 1);
    const after = await members(server);
    expect(after).toHaveLength(2);
    expect(after).toContain(survivor);
  });

  it('goes on with its processes while none can be started, and replaces them when that works again', async () => {
    const before = await members(server);
    const file = join(data.path, 'patchbay.config.yaml');
    await writeFile(
      file,
      `${ofTwo(builtIn)}rateLimiter: { use: "@patchbay/limiter-sqlite", with: { file: /dev/null/x } }\n`,
    );
    server.process.kill('SIGUSR2');
    await server.logged('a process could not be replaced; the others continue');
    expect(await members(server)).toEqual(before);
    expect(await askAtOnce(server, 4)).toEqual([200, 200, 200, 200]);
    await writeFile(file, ofTwo(builtIn));
    server.process.kill('SIGUSR2');
    await server.logged('replaced all processes', 2);
    expect((await members(server)).filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('reloads the config in all processes', async () => {
    server.process.kill('SIGHUP');
    expect(await server.logged('reloaded the config', 2)).toMatchObject({ level: 'info', changed: [] });
  });

  it('stops all processes', async () => {
    const pids = await members(server);
    expect(await server.end('SIGTERM')).toEqual({ code: 0 });
    expect(server.log.filter(({ message }) => message === 'stopped').length).toBeGreaterThanOrEqual(3);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

it.runIf(process.platform === 'linux')('a server of two processes ends if the first one cannot start', async () => {
  const data = await temporaryData();
  try {
    const config = `${ofTwo(builtIn)}rateLimiter: { use: "@patchbay/limiter-sqlite", with: { file: /dev/null/x } }\n`;
    await expect(startServerProcess(data.path, { config, ...starting })).rejects.toThrow('the server ended with 1');
  } finally {
    await data.remove();
  }
});

const missing = missingPostgres();

describe.skipIf(missing !== undefined)(
  `a server of two processes on PostgreSQL${missing ? ` (${missing})` : ''}`,
  () => {
    it('shares the limits of keys', async () => {
      const postgres = await openPostgres();
      const data = await temporaryData();
      try {
        const { url } = await createMigratedDatabase(postgres);
        const options = { ...starting, env: { DATABASE_URL: url } };
        const server = await startServerProcess(data.path, { config: ofTwo(await postgresConfig()), ...options });
        try {
          expect(await allowedRequests(server)).toBe(6);
        } finally {
          await server.end('SIGTERM');
        }
      } finally {
        await data.remove();
        await postgres.stop();
      }
    });
  },
);

it('a server of several processes without a storage is refused with the place in its config', async () => {
  const data = await temporaryData();
  const config = 'patchbay: 1\nserver:\n  processes: auto\n';
  await expect(startServerProcess(data.path, { config, ...starting })).rejects.toThrow(
    'patchbay.config.yaml:3:14 server.processes several processes need a storage',
  );
  await data.remove();
});
