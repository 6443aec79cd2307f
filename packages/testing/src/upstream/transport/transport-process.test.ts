import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../exchange.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { transportTests } from './fixtures/transport-under-test.ts';

const run = promisify(execFile);
const script = (name: string) => new URL(`fixtures/${name}.ts`, import.meta.url).pathname;
const nodeOptions = ['--expose-gc', '--conditions=source'];

describe('a process with a transport', () => {
  const start = transportTests(afterEach);

  it('loses no abort while garbage is collected', async () => {
    const { stdout } = await run(process.execPath, [...nodeOptions, script('abort-soak'), '300']);
    expect(JSON.parse(stdout)).toMatchObject({ calls: 300, lost: 0, openSockets: 0 });
  });

  it('grows by at most 32 MB, whatever the upstream sends', async () => {
    const { upstream } = await start();
    const answers: Readonly<Record<string, Reply>> = {
      '/large': replies.largeBody(50_000_000),
      '/chunks': replies.largeChunkedBody(50_000_000),
      '/bomb': replies.gzipBomb(300_000_000),
      '/header': replies.hugeHeader(1_000_000),
      '/garbage': replies.chunkGarbage(),
    };
    upstream.script((exchange) => (answers[exchange.request.path] ?? replies.body('{}'))(exchange));
    const paths = Object.keys(answers);
    const { stdout } = await run(process.execPath, [...nodeOptions, script('memory-probe'), upstream.url, ...paths]);
    const growth = JSON.parse(stdout) as Record<string, { megabytes: number; outcome: string }>;
    expect(Object.keys(growth)).toEqual(paths);
    for (const { megabytes, outcome } of Object.values(growth)) {
      expect(outcome).toContain('PatchbayError');
      expect(megabytes).toBeLessThanOrEqual(32);
    }
  });

  it('leaves the proxies of the environment to its host', async () => {
    const { upstream } = await start();
    const proxy = await start();
    upstream.script(replies.body('{}'));
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
    const env = {
      PATH: process.env['PATH'],
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(names.map((name) => [name, proxy.upstream.url])),
    };
    await run(process.execPath, [...nodeOptions, script('proxy-probe'), 'transport', upstream.url], { env });
    expect([upstream.requests.length, proxy.upstream.connections]).toEqual([1, 0]);

    // Shows that the environment is one that others follow; the proxy refuses them.
    if (!process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) return;
    const platform = run(process.execPath, [...nodeOptions, script('proxy-probe'), 'platform', upstream.url], { env });
    await expect(platform).rejects.toThrow('fetch failed');
    expect([upstream.requests.length, proxy.upstream.connections]).toEqual([1, 1]);
  });
});
