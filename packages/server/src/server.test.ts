import { once } from 'node:events';
import { openSocket, rawRequest, readAll } from '@patchbay/http/fixtures/raw-request';
import { afterEach, describe, expect, it } from 'vitest';
import { authorization, sample, startTestServer, type TestServer } from './fixtures/test-server.ts';

const head = (line: string) => `${line} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`;

describe('startServer', () => {
  let test: TestServer;
  afterEach(async () => {
    await test.server.close();
  });

  it('serves the API from create to delete', async () => {
    test = await startTestServer();
    const made = await test.send('POST', '/functions', sample);
    expect(made.status).toBe(201);
    const path = made.headers.get('location') ?? '';
    test.executing.then((run) => run.finish()).catch(() => {});
    const execution = await test.send('POST', `${path}/execute`, { input: { text: 'a' } });
    expect(await execution.json()).toMatchObject({ status: 'completed', output: { text: 'a' } });
    expect((await test.send('DELETE', path)).status).toBe(200);
    expect((await test.send('GET', path)).status).toBe(404);
  });

  it('configure applies new options, and requests in progress keep theirs', async () => {
    test = await startTestServer();
    const path = (await test.send('POST', '/functions', sample)).headers.get('location') ?? '';
    const execution = test.send('POST', `${path}/execute`, { input: { text: 'a' } });
    const run = await test.executing;
    const basePath = { functions: '/api', gateway: '', system: '' };
    test.server.configure({ ...test.config, basePath, maxConnections: 7, drainTimeoutMs: 5 });
    expect((await test.send('GET', `/api${path}`)).status).toBe(200);
    expect((await test.send('GET', path)).status).toBe(404);
    run.finish();
    expect((await execution).status).toBe(200);
  });

  it('serves the console, and sends browsers to it, until it is switched off', async () => {
    test = await startTestServer();
    const root = async () => {
      const headers = { accept: 'text/html' };
      const response = await fetch(`${test.server.url}/`, { headers, redirect: 'manual' });
      return response.headers.get('location');
    };
    expect([test.server.hasConsole, await root()]).toEqual([true, '/console']);
    test.server.configure({ ...test.config, console: false });
    expect([await root(), (await test.send('GET', '/console')).status]).toEqual(['/docs', 404]);
  });

  it('the connection of a request outlives the idle timeout', async () => {
    test = await startTestServer({ idleTimeoutMs: 1_000 });
    const path = (await test.send('POST', '/functions', sample)).headers.get('location') ?? '';
    const execution = test.send('POST', `${path}/execute`, { input: { text: 'a' } });
    const run = await test.executing;
    // Opened later and silent: by the time it is cut, the other one has been silent for longer.
    const idle = await openSocket(test.port);
    await once(idle.resume(), 'close');
    run.finish();
    expect((await execution).status).toBe(200);
  });

  it('a request that arrives while the process is busy gets a response, though the idle timeout has passed by then', async () => {
    test = await startTestServer({ keepAliveTimeoutMs: 1 });
    const kept = await openSocket(test.port);
    kept.write(`${head('GET /functions')}\r\n`);
    await once(kept, 'data');
    kept.write(`${head('GET /functions')}\r\n`);
    // Node adds a second to the timeout. The process does nothing else meanwhile: it cannot wait for an event.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    const [answer] = (await once(kept, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
    await once(kept.resume(), 'close');
  });

  it('refuses an address that is taken', async () => {
    test = await startTestServer();
    await expect(startTestServer({ port: test.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('finishes requests in progress when it stops, and accepts no new ones', async () => {
    test = await startTestServer();
    const idle = await openSocket(test.port);
    idle.write(`${head('GET /functions')}\r\n`);
    await once(idle, 'data');
    const path = (await test.send('POST', '/functions', sample)).headers.get('location') ?? '';
    const execution = test.send('POST', `${path}/execute`, { input: { text: 'a' } });
    const run = await test.executing;

    const idleClosed = once(idle.resume(), 'close');
    const closed = test.server.close();
    await idleClosed;
    await expect(fetch(`${test.server.url}/readyz`)).rejects.toBeInstanceOf(TypeError);
    run.finish();
    const answer = await execution;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    await closed;
    expect((await test.app.host.health()).status).toBe('draining');
  });

  it('ends a connection after the response in progress, whatever was sent after its request', async () => {
    test = await startTestServer();
    const path = (await test.send('POST', '/functions', sample)).headers.get('location') ?? '';
    const body = '{"input":{"text":"a"}}';
    const socket = await openSocket(test.port);
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(head(`POST ${path}/execute`) + type);
    const run = await test.executing;
    const closed = test.server.close();
    socket.write(`${head('GET /functions')}\r\n`);
    const all = readAll(socket);
    run.finish();
    const answers = await all;
    expect(answers).toMatch(/^HTTP\/1\.1 200 /);
    expect(answers).toMatch(/\r\nConnection: close\r\n/i);
    expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await closed;
  });

  it('aborts requests in progress at the drain deadline with a response', async () => {
    test = await startTestServer({ drainTimeoutMs: 20 });
    const path = (await test.send('POST', '/functions', sample)).headers.get('location') ?? '';
    const execution = test.send('POST', `${path}/execute`, { input: { text: 'a' } });
    await test.executing;
    await test.server.close();
    const answer = await execution;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'shutting_down' });
  });

  it('serves many requests on one connection', async () => {
    test = await startTestServer();
    const request = `${head('GET /functions')}\r\n`;
    const last = `${head('GET /functions')}Connection: close\r\n\r\n`;
    const answers = await rawRequest(test.port, request.repeat(20) + last);
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(21);
    const ids = [...answers.matchAll(/Request-Id: (\S+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(21);
  });
});
