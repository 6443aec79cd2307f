import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchbaySource } from '../driver/patchbay-file.ts';
import { newFolder, runServer, type ServerProcess } from '../driver/run-server.ts';

/** Files that a reader has to open to follow one request (ADR 173). */
const MOST_FILES = 60;

/** Work in the background, such as that of a run before, is not part of all runs. */
const MOST_RUNS = 40;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly [{ readonly count: number }] }[];
  }[];
}

/** The inspector of a process, as far as it is needed here (Chrome DevTools Protocol). */
async function inspect(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let last = 0;
  const send = async <T>(method: string, params: object = {}): Promise<T> => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<T>();
    const onMessage = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data)) as { readonly id?: number; readonly result: T };
      if (message.id === id) resolve(message.result);
    };
    socket.addEventListener('message', onMessage);
    socket.send(JSON.stringify({ id, method, params }));
    return await promise.finally(() => socket.removeEventListener('message', onMessage));
  };
  return { send, close: () => socket.close() };
}

describe('a request', () => {
  let folder: string;
  let upstream: Upstream;
  let server: ServerProcess;
  let url: string;
  let key: string;
  let inspector: Awaited<ReturnType<typeof inspect>>;

  beforeAll(async () => {
    folder = newFolder();
    upstream = await startUpstream({ dialect: 'openai' });
    const vendor = { OPENAI_API_KEY: 'a-key-of-a-vendor', OPENAI_BASE_URL: upstream.baseUrl };
    const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0', ...vendor };
    // In a bundle, no function has a file.
    server = runServer(folder, env, [], patchbaySource);
    url = await server.listening();
    [, key = ''] = /Admin API key: (pbk_\S+)/.exec(server.output.stderr) ?? [];
    const [, address = ''] = /Debugger listening on (\S+)/.exec(server.output.stderr) ?? [];
    inspector = await inspect(address);
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  });

  afterAll(async () => {
    inspector?.close();
    server.child.kill('SIGTERM');
    await server.ended();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return await response.text();
  };

  /** Our files in which a function has run since the last call. */
  const touched = async (): Promise<Set<string>> => {
    const { result } = await inspector.send<Coverage>('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) => functions.some(({ ranges: [{ count }] }) => count > 0));
    const files = ran.map(({ url: file }) => /\/((?:packages|plugins)\/[\w-]+\/src\/.*)$/.exec(file)?.[1]);
    return new Set(files.filter((file) => file !== undefined));
  };

  /** The files that each of several runs touches. Fewer runs suffice where few files are left. */
  const touchedBy = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
    await run();
    let common: readonly string[] | undefined;
    for (let count = 0; count < MOST_RUNS && (common?.length ?? Infinity) > MOST_FILES; count += 1) {
      await touched();
      await run();
      const files = await touched();
      common = (common ?? [...files]).filter((file) => files.has(file));
    }
    return common ?? [];
  };

  it('that executes a function touches at most 60 files', async () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const source = { name: 'Echo', input: schema, output: schema, code: 'export default (input) => input' };
    const { id } = JSON.parse(await post('/functions', source)) as { readonly id: string };
    const files = await touchedBy(() => post(`/functions/${id}/execute`, { input: { text: 'a' } }));
    expect(files).toContain('packages/core/src/functions/executions/run-execution.ts');
    expect(files.slice(MOST_FILES)).toEqual([]);
  });

  it.each([
    ['the demo model', 'demo', 'extractive'],
    ['an OpenAI model', 'openai', 'gpt-5.5'],
  ])('for a streamed chat with %s touches at most 60 files', async (_, vendor, model) => {
    const messages = [{ role: 'user', content: 'Deno was announced in 2018. When?' }];
    const files = await touchedBy(() => post('/chat', { model: `${vendor}/${model}`, stream: true, messages }));
    expect(files).toContain('packages/core/src/gateway/attempt.ts');
    expect(files.some((file) => file.startsWith(`plugins/provider-${vendor}/`))).toBe(true);
    expect(files.slice(MOST_FILES)).toEqual([]);
  });
});
