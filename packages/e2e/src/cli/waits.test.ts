import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, runServer } from '../driver/run-server.ts';

// Waiting commands report what they wait for.

const folder = newFolder();
let answer: (response: ServerResponse) => void;
const server = createServer((_, response) => answer(response));
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const empty = '{"data":[]}';
const send = (response: ServerResponse, status: number, body: string, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const list = (...more: string[]) => runServer(folder, { PATCHBAY_URL: url }, ['models', 'list', ...more]);

it.each([
  [[], /^waiting for a response of http:\/\/127\.0\.0\.1:\d+: GET \/models\n/],
  [['--json'], /^\{"waiting":"waiting for a response of/],
])('a response that takes long is named while it is waited for', async (more, told) => {
  let held: ServerResponse | undefined;
  answer = (response) => {
    held = response;
  };
  const run = list(...more);
  // It comes only after the command has said what it waits for.
  run.child.stderr?.once('data', () => held && send(held, 200, empty));
  expect(await run.ended()).toBe(0);
  expect(run.output.stderr).toMatch(told);
});

it('a server that asks for a wait is named with its reason', async () => {
  let attempts = 0;
  answer = (response) => {
    attempts += 1;
    if (attempts > 1) send(response, 200, empty);
    else send(response, 503, '{"code":"overloaded","retryable":true}', { 'retry-after': '3' });
  };
  const run = list();
  expect(await run.ended()).toBe(0);
  expect(run.output.stderr).toMatch(/^waiting for the next attempt in 3\.0 s: overloaded\n/);
});

it('a wait beyond ten seconds is not begun', async () => {
  answer = (response) =>
    send(response, 503, '{"code":"overloaded","retryable":true,"detail":"busy"}', { 'retry-after': '60' });
  const run = list();
  expect(await run.ended()).toBe(1);
  expect(run.output.stderr).toBe('patchbay: overloaded: busy\n');
});

it('a storage that does not answer is named while it is waited for', async () => {
  const silent = createTcpServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const storage = `{ use: "@patchbay/store-postgres", with: { url: "postgres://me@127.0.0.1:${port}/db" } }`;
  const authenticators = '{ keys: { use: "@patchbay/auth-api-key" } }';
  const file = join(folder, 'silent.yaml');
  const secret = 'a'.repeat(40);
  writeFileSync(file, `patchbay: 1\nstorage: ${storage}\nauthenticators: ${authenticators}\nsecret: ${secret}\n`);
  const run = runServer(folder, {}, ['keys', 'list', '--config', file]);
  await once(run.child.stderr as NodeJS.ReadableStream, 'data');
  run.child.kill('SIGKILL');
  await run.ended();
  silent.close();
  expect(run.output.stderr).toMatch(/^waiting for the storage of \S+silent\.yaml\n/);
});
