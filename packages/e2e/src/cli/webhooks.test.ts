import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

const server = useServerHere({
  config: `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
webhooks: { allow: [127.0.0.0/8] }
`,
});
const cli = (...args: string[]) =>
  runCli({ cwd: '/', env: { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey } }, ...args);

let receiver: Server;
let status = 204;
let id: string;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { body } = await server.ask('POST', '/webhooks', { url, events: ['function.created'] });
  id = String(body['id']);
});
afterAll(() => {
  receiver.close();
  receiver.closeAllConnections();
});

describe('patchbay webhooks', () => {
  it('list and get show them, without secrets', async () => {
    const { code, stdout, stderr } = await cli('webhooks', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 webhook\n' });
    expect(stdout).toMatch(new RegExp(`^${id} {2}on {2}http://127.0.0.1:\\d+/hook {2}function.created\n$`));
    expect(JSON.parse((await cli('webhooks', 'get', id)).stdout)).toMatchObject({ id, enabled: true });
    expect(await cli('webhooks', 'get', 'webhook_none')).toMatchObject({ code: 4, stdout: '' });
  });

  it('test sends one event, and tells what the receiver made of it', async () => {
    expect(await cli('webhooks', 'test', id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('  delivered  '),
    });
    status = 500;
    const refused = await cli('webhooks', 'test', id, '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ state: 'waiting', attempts: 1, eventType: 'webhook.test' });
    const { stdout } = await cli('webhooks', 'deliveries', id, '--state', 'waiting');
    expect(stdout).toMatch(/ waiting {2}1 attempt {2}webhook\.test /);
    expect((await cli('webhooks', 'deliveries', id)).stderr).toBe('2 deliveries\n');
  });

  it('replay sends again what was missed', async () => {
    status = 204;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await cli('webhooks', 'replay', id, '--since', since)).code).toBe(0);
    expect((await cli('webhooks', 'replay', id, '--since', 'yesterday')).code).toBe(1);
    expect((await cli('webhooks', 'replay', id)).code).toBe(2);
  });
});
