import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canary, canaryMark } from './canary.ts';
import { type CanaryWatch, watchCanaries } from './canary-watch.ts';
import { handedOut } from './handed-out.ts';
import { isUpstream, searchAnswer, searchLogEntry, searchProcess } from './search.ts';

// The watch of this file would find canaries that are planted here. The mark is therefore replaced by one that only the
// watch under test knows.
const mark = 'm4Rk0fTh1sT3st';
const secret = canary('key').replace(canaryMark, mark);

const folder = mkdtempSync(join(tmpdir(), 'canaries-'));
/** Answers with the pieces of its path, one after the other as they are read. */
const server = createServer(({ url = '' }, response) => void answer(url, response));
async function answer(url: string, response: ServerResponse): Promise<void> {
  // A separate connection, which this watch sees from its start on.
  response.setHeader('connection', 'close');
  for (const piece of url.slice(1).split('/')) {
    response.write(decodeURIComponent(piece));
    await new Promise(setImmediate);
  }
  response.end();
}
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
let watch: CanaryWatch;

beforeEach(() => {
  watch = watchCanaries(() => 'during this test', mark);
});
afterEach(() => watch.stop());
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const answered = async (...pieces: readonly string[]): Promise<readonly string[]> => {
  await (await fetch(`${url}/${pieces.map(encodeURIComponent).join('/')}`)).text();
  return watch.report().finds;
};

describe('a planted secret that gets out', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ detail: `the key "${secret}"` })],
    ['in a URL', `?key=${encodeURIComponent(secret)}`],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in capital hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64, a byte later', Buffer.from(`.${secret}`).toString('base64')],
    ['in base64, two bytes later', Buffer.from(`..${secret}`).toString('base64url')],
    ['cut off', secret.slice(0, 25)],
  ])('shows up in a response %s', async (_, text) => {
    const finds = await answered(`before ${text} after`);
    expect(finds).toHaveLength(1);
    expect(finds[0]).toMatch(/^a canary.* in an answer, during this test: .*before /);
  });

  it('in two pieces is found', async () => {
    expect(await answered(`before ${secret.slice(0, 15)}`, secret.slice(15))).toHaveLength(1);
  });

  it('without a socket is found in logs and their causes, and in output and files of processes', async () => {
    searchAnswer('body', [['x-told', secret]]);
    searchLogEntry('failed', { error: new Error('outer', { cause: new Error(secret) }) });
    const path = join(folder, 'data.db');
    const code = `require('fs').writeFileSync(${JSON.stringify(path)}, '\\0\\u1234 ${secret}'); console.error('${secret}')`;
    const child = spawn(process.execPath, ['-e', code], { cwd: folder });
    searchProcess(child, folder);
    await once(child, 'close');
    const places = watch.report().finds.map((find) => find.replace(/, during.*/s, ''));
    expect(places.sort()).toEqual([
      'a canary in an answer',
      'a canary in data.db',
      'a canary in the log',
      'a canary in what a process said',
    ]);
  });
});

describe('a secret that the server made', () => {
  const key = `pbk_live_0123456789ab_${'S'.repeat(32)}sum123`;
  it.each([
    ['the member it is shown as', `{"id":"key_1","key":"${key}"}`, 1, 0],
    ['a secret of webhooks', `{"secret":"whsec_${'s'.repeat(32)}"}`, 1, 0],
    ['another member', `{"detail":"you sent ${key}"}`, 0, 1],
    ['its public part', `{"detail":"pbk_live_0123456789ab is revoked"}`, 0, 0],
  ])('%s', (_, text, shown, elsewhere) => {
    const found = handedOut(Buffer.from(text), false);
    expect([found.secrets.length, found.elsewhere.length]).toEqual([shown, elsewhere]);
  });
});

it('responses of an upstream are not searched, and what is searched is counted', async () => {
  expect(await answered('fine')).toEqual([]);
  const { answers, bytes } = watch.report();
  expect(answers).toBeGreaterThan(0);
  isUpstream(url);
  expect(await answered(secret)).toEqual([]);
  expect(watch.report()).toMatchObject({ answers, bytes });
});
