import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDnsServer } from '../egress/fixtures/dns-server.ts';
import { createNameResolver } from '../egress/resolve-names.ts';
import { createTransport } from './create-transport.ts';

const server = createServer((_, response) => response.setHeader('connection', 'close').end('{}'));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
const pipe = join(folder, 'pipe');
let port = 0;
let dns: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  execFileSync('mkfifo', [pipe]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  dns = await startDnsServer((name) => (name === 'vendor.test' ? ['127.0.0.1'] : []));
});

afterAll(() => {
  server.close();
  dns.close();
  rmSync(folder, { recursive: true });
});

/** Opening a pipe blocks a thread of the pool until its other end is opened. */
async function whileThreadsAreBusy(work: () => Promise<void>): Promise<void> {
  const waiting = Array.from({ length: 16 }, async () => await open(pipe, 'r'));
  try {
    await work();
  } finally {
    const end = openSync(pipe, constants.O_RDWR);
    for (const handle of await Promise.all(waiting)) await handle.close();
    closeSync(end);
  }
}

it.each(['vendor.test', 'localhost'])(
  'a request to %s needs no thread that slow look-ups could occupy',
  async (host) => {
    const { resolve } = createNameResolver({ servers: [dns.address] });
    const transport = host === 'localhost' ? createTransport() : createTransport({ resolve });
    const url = `http://${host}:${port}`;
    const fetch = transport.createFetch({ baseUrl: url, connectMs: 2_000 });
    // Loads what only the first call loads.
    await transport.createFetch({ baseUrl: `http://127.0.0.1:${port}` })(`http://127.0.0.1:${port}/`);
    await whileThreadsAreBusy(async () => expect((await fetch(`${url}/`)).status).toBe(200));
    await transport.stop();
  },
);
