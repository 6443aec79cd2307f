import { execFile } from 'node:child_process';
import { createServer, request as send } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echo } from '../../driver/sample-functions.ts';
import { adminKey } from '../../driver/server-process.ts';
import { useServerHere } from '../../driver/use-server-here.ts';

// The official suite of the protocol, whose client sends no credentials.

const server = useServerHere();

const addsKey = createServer((request, response) => {
  const { port } = server.running;
  const headers = { ...request.headers, authorization: `Bearer ${adminKey}` };
  const sent = send({ host: '127.0.0.1', port, path: request.url, method: request.method, headers }, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  request.pipe(sent);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => addsKey.listen(0, '127.0.0.1', resolve));
  await server.ask('POST', '/functions', echo);
});

afterAll(() => {
  addsKey.closeAllConnections();
  addsKey.close();
});

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

it.each([
  ['2026-07-28', '@modelcontextprotocol/conformance'],
  ['2025-11-25', 'mcp-conformance-stable'],
])('the conformance suite of revision %s passes, but for what is listed with its reason', async (revision, name) => {
  const main = join(dirname(resolve(`${name}/package.json`)), 'dist/index.js');
  const expected = fileURLToPath(new URL(`expected-failures-${revision}.yaml`, import.meta.url));
  const url = `http://localhost:${(addsKey.address() as AddressInfo).port}/mcp`;
  const options = ['--url', url, '--spec-version', revision, '--suite', 'all', '--expected-failures', expected];
  const done = run(process.execPath, [main, 'server', ...options], { cwd: server.running.data });
  const { code, stdout } = await done.then(
    (output) => ({ code: 0, ...output }),
    (error: { readonly code: number; readonly stdout: string }) => error,
  );
  expect(code, stdout.slice(stdout.indexOf('=== SUMMARY ==='))).toBe(0);
  expect(stdout).toContain('✓ dns-rebinding-protection');
});
