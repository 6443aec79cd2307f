import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { testContext } from '@patchbay/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mountServer } from './fixtures/mounted-server.ts';
import { add, echo, type McpServer, startMcpServer, type TestTool } from './fixtures/start-mcp-server.ts';

const started: McpServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(...given: Parameters<typeof startMcpServer>): Promise<McpServer> {
  const server = await startMcpServer(...given);
  started.push(server);
  return server;
}

describe.each(['modern', 'legacy'] as const)('a server of the %s era', (era) => {
  it('lists its tools over all pages, and has them called', async () => {
    const { url, seen } = await start([echo, add], { era, pageSize: 1 });
    const server = await mountServer({ url, headers: { authorization: 'Bearer abcdefgh' } });
    const tools = await server.tools(testContext());
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'add']);
    expect(await server.call('echo', { text: 'Hello' }, testContext())).toEqual({ text: 'Hello' });
    expect(await server.call('add', { a: 1, b: 2 }, testContext())).toEqual({ text: '{"sum":3}', value: { sum: 3 } });
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer abcdefgh']));
    expect(await server.health?.()).toEqual({ status: 'pass' });
  });

  it('receives the cancellation of a call, whose request ends', async () => {
    const isCalled = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const slow: TestTool = {
      ...echo,
      run: (_, signal) =>
        new Promise((_resolve, reject) => {
          isCalled.resolve();
          signal.addEventListener('abort', () => {
            isOver.resolve();
            reject(new Error('cancelled'));
          });
        }),
    };
    const { url } = await start([slow], { era });
    const server = await mountServer({ url });
    await server.tools(testContext());
    const caller = new AbortController();
    const call = server.call('echo', { text: '' }, testContext({ signal: caller.signal }));
    await isCalled.promise;
    caller.abort(new Error('the caller is gone'));
    await expect(call).rejects.toThrow('the caller is gone');
    await isOver.promise;
  });
});

describe('a mounted server', () => {
  it('takes over a list that has changed', async () => {
    const upstream = await start([echo]);
    const server = await mountServer({ url: upstream.url });
    const before = await server.tools(testContext());
    expect(await server.tools(testContext())).toBe(before);
    upstream.tools = [echo, add];
    upstream.changed();
    await expect.poll(async () => (await server.tools(testContext())).length, { timeout: 20_000 }).toBe(2);
  });

  it('serves calls and follows changes after its connections were closed', async () => {
    const upstream = await start([echo]);
    const server = await mountServer({ url: upstream.url });
    await server.tools(testContext());
    upstream.disconnect();
    const call = () =>
      server.call('echo', { text: 'still here' }, testContext()).then(
        ({ text }) => text,
        () => undefined,
      );
    await expect.poll(call, { timeout: 20_000 }).toBe('still here');
    upstream.tools = [echo, add];
    await expect.poll(async () => (await server.tools(testContext())).length, { timeout: 20_000 }).toBe(2);
    expect(await server.health?.()).toEqual({ status: 'pass' });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['dies', (response) => response.destroy(), 'tool_unavailable'],
    ['redirects', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), 'tool_unavailable'],
    ['refuses the credentials', (response) => response.writeHead(401).end('the key abc is wrong'), 'tool_unavailable'],
    ['floods', flood, 'tool_unavailable'],
  ])('fails a call during which the server %s, and serves the next one', async (_, behave, code) => {
    const upstream = await start([echo]);
    const server = await mountServer({ url: upstream.url, timeoutMs: 2_000 });
    await server.tools(testContext());
    upstream.intercept = ({ headers }, response) => {
      if (headers['mcp-method'] !== 'tools/call') return false;
      behave(response);
      return true;
    };
    const call = server.call('echo', { text: '' }, testContext());
    await expect(call).rejects.toMatchObject({ code, message: expect.not.stringContaining('abc') });
    upstream.intercept = () => false;
    expect(await server.call('echo', { text: 'again' }, testContext())).toEqual({ text: 'again' });
  });

  it('reads a list without an end no further than it must', async () => {
    const tools = Array.from({ length: 60 }, (_, index) => ({ ...echo, name: `echo_${index}` }));
    const { url } = await start(tools, { pageSize: 1 });
    const server = await mountServer({ url, maxTools: 500 });
    expect(await server.tools(testContext())).toHaveLength(50);
  });

  it('has the same list until it changes, also where names are there twice', async () => {
    const upstream = await start([echo, { ...echo, description: 'another' }]);
    const server = await mountServer({ url: upstream.url, refreshSeconds: 1 });
    const before = await server.tools(testContext());
    const lists = () => upstream.seen.filter((headers) => headers['mcp-method'] === 'tools/list').length;
    // The second was read once the third is asked for.
    await expect.poll(lists, { timeout: 20_000 }).toBeGreaterThan(2);
    expect(await server.tools(testContext())).toBe(before);
  });

  it('keeps no more of a list than one response may have', async () => {
    const description = 'x'.repeat(3_000_000);
    const tools = ['a', 'b', 'c'].map((name) => ({ ...echo, name, description }));
    const { url } = await start(tools, { pageSize: 1 });
    const server = await mountServer({ url });
    expect((await server.tools(testContext())).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await server.health?.()).toMatchObject({ status: 'warn' });
  });

  it('fails a call that takes too long, and serves the next one', async () => {
    const hang: TestTool = { ...echo, name: 'hang', run: () => new Promise(() => {}) };
    const { url } = await start([echo, hang]);
    const server = await mountServer({ url, timeoutMs: 300 });
    await server.tools(testContext());
    await expect(server.call('hang', { text: '' }, testContext())).rejects.toMatchObject({
      code: 'tool_unavailable',
      message: 'the server "test" of tools did not respond within 300 ms',
    });
    expect(await server.call('echo', { text: 'still here' }, testContext())).toEqual({ text: 'still here' });
  });

  it.each([
    ['of more bytes than are accepted', { content: [{ type: 'text', text: 'x'.repeat(200_000) }] }],
    ['that is no result', { content: 'nothing' }],
    ['of more bytes than a response may have', { content: [{ type: 'text', text: 'x'.repeat(9_000_000) }] }],
  ])('fails a call with a result %s', async (_, result) => {
    const { url } = await start([{ ...echo, run: async () => result as never }]);
    const server = await mountServer({ url });
    await server.tools(testContext());
    await expect(server.call('echo', { text: '' }, testContext())).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('names content that is no text', async () => {
    const run = async () => ({
      content: [
        { type: 'text' as const, text: 'Look:' },
        { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
      ],
    });
    const { url } = await start([{ ...echo, run }]);
    const server = await mountServer({ url });
    await server.tools(testContext());
    expect(await server.call('echo', { text: '' }, testContext())).toEqual({
      text: 'Look:\n[image of type image/png, 3 bytes]',
    });
  });

  it('uses no more tools than it may, and says so', async () => {
    const { url } = await start([echo, add, { ...echo, name: 'third' }], { pageSize: 1 });
    const server = await mountServer({ url, maxTools: 2 });
    expect((await server.tools(testContext())).map(({ name }) => name)).toEqual(['echo', 'add']);
    expect(await server.health?.()).toEqual({ status: 'warn', detail: 'the server lists more tools than may be used' });
  });

  it('starts although the server is down, and connects when it is up', async () => {
    const upstream = await startMcpServer([echo]);
    await upstream.stop();
    const server = await mountServer({ url: upstream.url });
    await expect(server.tools(testContext())).rejects.toMatchObject({ code: 'tool_unavailable' });
    await expect(server.call('echo', {}, testContext())).rejects.toMatchObject({ code: 'tool_unavailable' });
    expect(await server.health?.()).toMatchObject({ status: 'warn' });
    await start([echo], { port: Number(new URL(upstream.url).port) });
    await expect.poll(async () => (await server.health?.())?.status, { timeout: 20_000 }).toBe('pass');
    expect(await server.call('echo', { text: 'up' }, testContext())).toEqual({ text: 'up' });
  });

  it('reaches no address but public ones, unless the options name it', async () => {
    const { url, seen } = await start([echo]);
    const server = await mountServer({ url, addresses: [] });
    await expect(server.tools(testContext())).rejects.toMatchObject({ code: 'tool_unavailable' });
    expect((await server.health?.())?.detail).toContain('neither public');
    expect(seen).toEqual([]);
  });
});

/** Sends events of a stream for as long as they are read. */
function flood(response: ServerResponse): void {
  const event = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${'x'.repeat(60_000)}"}}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (): void => {
    while (!response.destroyed && response.write(event));
  };
  response.on('drain', write);
  write();
}

describe('a program', () => {
  it('is called over its standard input and output, and ended with the mount', async () => {
    vi.stubEnv('PATCHBAY_TOOL_PROGRAMS', 'other, test');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const file = fileURLToPath(new URL('fixtures/stdio-server.ts', import.meta.url));
    const server = await mountServer({ program: { command: process.execPath, args: [file], env: { OWN: 'yes' } } });
    expect((await server.tools(testContext())).map(({ name }) => name)).toEqual(['about']);
    const { value } = await server.call('about', {}, testContext());
    const { pid, own, foreign } = value as { readonly pid: number; readonly own: string; readonly foreign?: string };
    expect({ own, foreign }).toEqual({ own: 'yes', foreign: undefined });
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(
        () =>
          server.call('about', {}, testContext()).then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 20_000 },
      )
      .toBe('up');
    const next = (await server.call('about', {}, testContext())).value as { readonly pid: number };
    expect(next.pid).not.toBe(pid);
    await server.stop?.();
    await expect.poll(() => isRunning(next.pid), { timeout: 20_000 }).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('a program needs the permission of the operator, by the name of its mount', async () => {
  await expect(mountServer({ program: { command: 'node' } })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('"test" in the environment variable PATCHBAY_TOOL_PROGRAMS'),
  });
  await expect(mountServer({})).rejects.toMatchObject({ code: 'config_invalid' });
});
