import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  adminKey,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

const RELOADS = 8;
const REQUESTS = 400;
const AT_A_TIME = 20;

let upstream: Upstream;
let data: TemporaryData;
let server: ServerProcess;

/** A config whose one provider has this key; every second of them has a second provider, and other options as well. */
function configText(round: number, key: string): string {
  const provider = (name: string) => `
  ${name}:
    use: "@patchbay/provider-openai"
    with: { apiKey: ${key}, baseUrl: ${upstream.baseUrl}, models: [{ name: twin, vendor: none, pricing: { input: 1, output: 4 } }] }`;
  return `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
${round % 3 === 0 ? 'router: { use: "@patchbay/router-weighted" }' : ''}
limits: { off: true }
gateway: { timeoutMs: ${60_000 + round} }
providers:${provider('main')}${round % 2 === 1 ? provider('second') : ''}
`;
}

const keyOf = (round: number) => canary(`key-of-round-${round}`);
const write = (text: string) => writeFile(join(data.path, 'patchbay.config.yaml'), text);

async function reload(text: string, message: string): Promise<void> {
  const before = server.log.filter((entry) => entry.message === message).length;
  await write(text);
  server.process.kill('SIGHUP');
  await server.logged(message, before + 1);
}

beforeAll(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  upstream.script(upstreamReplies.delayed(20, upstreamReplies.healthy()));
  data = await temporaryData();
  server = await startServerProcess(data.path, { config: configText(0, keyOf(0)) });
});

afterAll(async () => {
  await server.end('SIGTERM');
  await upstream.stop();
  await data.remove();
});

describe('SIGHUP under load', () => {
  it('changes keys, adds and removes providers, and fails no request', async () => {
    const failures: string[] = [];
    let sent = 0;
    let answered = 0;
    let finished = false;
    const body = { model: 'main/twin', messages: [{ role: 'user', content: 'Hello' }] };
    const send = async (stream: boolean): Promise<void> => {
      while (!finished) {
        sent += 1;
        const response = await fetch(`${server.url}/chat`, {
          method: 'POST',
          headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, stream }),
        });
        const text = await response.text();
        answered += 1;
        if (response.status !== 200 || (stream && !text.includes('event: done')))
          failures.push(`${response.status} ${text}`);
      }
    };
    const sending = Array.from({ length: AT_A_TIME }, (_, index) => send(index % 4 === 0));
    for (let round = 1; round <= RELOADS; round += 1) {
      await reload(configText(round, keyOf(round)), 'reloaded the config');
      // The new key is in use before the next round begins.
      const due = (REQUESTS / RELOADS) * round;
      while (answered < due) await upstream.nextRequest();
    }
    finished = true;
    await Promise.all(sending);

    expect(failures).toEqual([]);
    expect(answered).toBe(sent);
    expect(answered).toBeGreaterThanOrEqual(REQUESTS);
    const keys = new Set(upstream.requests.map(({ headers }) => headers['authorization']));
    expect(keys).toEqual(new Set(Array.from({ length: RELOADS + 1 }, (_, round) => `Bearer ${keyOf(round)}`)));
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
    // The connections of providers that are gone are closed.
    await expect.poll(() => upstream.openSockets()).toBeLessThanOrEqual(AT_A_TIME);
  }, 120_000);

  it('shows a provider that was added, and not one that was removed', async () => {
    const models = async () => {
      const { body } = await ask(server, 'GET', '/models');
      return (body['data'] as { id: string }[]).map(({ id }) => id);
    };
    await reload(configText(RELOADS + 1, keyOf(RELOADS + 1)), 'reloaded the config');
    expect(await models()).toEqual(['main/twin', 'second/twin']);
    await reload(configText(22, keyOf(22)), 'reloaded the config');
    expect(await models()).toEqual(['main/twin']);
  });

  it('with an invalid file keeps the current config and logs the position', async () => {
    await reload(configText(22, keyOf(22)).replace('timeoutMs:', 'timeuotMs:'), 'the config was not reloaded');
    const entry = server.log.findLast(({ message }) => message === 'the config was not reloaded');
    expect(entry?.['problems']).toEqual([
      expect.stringMatching(/^patchbay\.config\.yaml:7:12 gateway\.timeuotMs is not an option/),
    ]);
    const body = { model: 'main/twin', messages: [{ role: 'user', content: 'Hello' }] };
    expect(await ask(server, 'POST', '/chat', body)).toMatchObject({ status: 200 });
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${keyOf(22)}`);
  });

  it('names the options that need a restart, and applies the rest', async () => {
    const text = configText(23, keyOf(23)).replace('./patchbay.db', './other.db');
    await reload(`${text}server: { maxConnections: 7, port: 1 }\n`, 'part of the new config requires a restart');
    const entry = server.log.findLast(({ message }) => message === 'part of the new config requires a restart');
    expect(entry?.['needsRestart']).toEqual(['storage.with.file']);
  });
});
