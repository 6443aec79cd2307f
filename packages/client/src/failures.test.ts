import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, json, output, type Received, type ScriptedServer, startServer } from './fixtures/start-server.ts';
import { APIError, ConnectionError, createClient, ExecutionError, PatchbayError, TimeoutError } from './index.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const call = (options: object = {}, config: object = {}) =>
  createClient({ baseUrl: server.url, ...config }).ai['f']({}, options) as Promise<unknown>;
const failure = (options?: object, config?: object) => call(options, config).catch((error: unknown) => error);

const hang: Answer = () => {};
const destroy: Answer = (response) => response.destroy();
const cutBody: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"output":');
  setImmediate(() => response.destroy());
};
const stallBody: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"output":');
};
const keys = () => new Set(server.requests.map(({ headers }) => headers['idempotency-key']));

describe('transient failures are retried with the same key', () => {
  it.each<[string, Answer]>([
    ['503', json({ code: 'overloaded', retryable: true }, 503, { 'retry-after': '0' })],
    ['a 500 of another service', json({}, 500)],
    ['429', json({ code: 'rate_limited', retryable: true }, 429)],
    ['a 409 that is still under way', json({ code: 'idempotency_in_progress', retryable: true }, 409)],
    ['a connection that is closed', destroy],
    ['an answer that is cut off', cutBody],
  ])('%s', async (_name, answer) => {
    server.script(answer, output({ n: 1 }));
    const { meta, data } = await createClient({ baseUrl: server.url }).ai['f']({}).withMeta();
    expect([data, meta.retries]).toEqual([{ n: 1 }, 1]);
    expect([server.requests.length, keys().size]).toEqual([2, 1]);
  });

  it('up to maxRetries, with the given key', async () => {
    server.script(destroy);
    expect(await failure({ maxRetries: 1, idempotencyKey: 'mine' })).toBeInstanceOf(ConnectionError);
    expect([server.requests.length, [...keys()]]).toEqual([2, ['mine']]);
    server.script(destroy);
    expect(await failure({}, { maxRetries: 0 })).toBeInstanceOf(ConnectionError);
    expect(server.requests.length).toBe(1);
  });

  it('after as long as the server requests', async () => {
    server.script(json({ retryable: true }, 429, { 'retry-after': '1' }), output({}));
    const start = performance.now();
    await call();
    expect(performance.now() - start).toBeGreaterThan(990);
  });
});

describe('the waits between attempts', () => {
  const busy = (seconds: string) => json({ code: 'overloaded', retryable: true }, 503, { 'retry-after': seconds });

  it('longer than the caller accepts are not begun: the error comes at once', async () => {
    server.script(busy('11'), output({}));
    expect(await failure()).toMatchObject({ code: 'overloaded', retryAfter: 11 });
    expect(server.requests.length).toBe(1);
  });

  it('share one timeout budget across attempts', async () => {
    server.script(busy('1'), busy('1'), output({}));
    expect(await failure({}, { maxRetryWait: 1_500 })).toMatchObject({ code: 'overloaded' });
    expect(server.requests.length).toBe(2);
  });

  it('reach onRetry with the error and the delay', async () => {
    const waits: unknown[] = [];
    server.script(busy('1'), output({}));
    await call({}, { onRetry: (error: APIError, waitMs: number) => waits.push([error.code, waitMs]) });
    expect(waits).toEqual([['overloaded', 1_000]]);
  });
});

describe('permanent failures are not retried', () => {
  it.each<[string, Answer]>([
    ['400', json({ code: 'invalid_request', retryable: false }, 400)],
    ['401', json({ code: 'unauthenticated', retryable: false }, 401)],
    ['a name that is not found', json({ code: 'function_not_found', retryable: false }, 404)],
    ['422', json({}, 422)],
    ['a 500 that says so', json({ code: 'internal_error', retryable: false }, 500)],
    ['a wait of an hour', json({ code: 'quota_exceeded', retryable: true }, 429, { 'retry-after': '3600' })],
    ['a redirect', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()],
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['nothing', (response) => response.writeHead(204).end()],
  ])('%s', async (_name, answer) => {
    server.script(answer);
    expect(await failure()).toBeInstanceOf(APIError);
    expect(server.requests.length).toBe(1);
  });
});

describe('an error', () => {
  it('exposes every member of the problem document', async () => {
    const problem = {
      title: 'The request does not match the documented schema',
      detail: 'the body is wrong',
      code: 'invalid_request',
      errors: [{ pointer: '/input', code: 'type', detail: 'must be object' }],
      extra: 1,
    };
    server.script(json(problem, 400, { 'retry-after': '7' }));
    const error = await failure();
    expect(error).toMatchObject({
      name: 'APIError',
      message: '400, invalid_request, the body is wrong, /input must be object',
      status: 400,
      code: 'invalid_request',
      errors: problem.errors,
      requestId: 'request_1',
      retryAfter: 7,
      problem,
    });
    expect(error).toBeInstanceOf(PatchbayError);
    expect(error).not.toBeInstanceOf(ConnectionError);
  });

  it('of an execution includes the execution', async () => {
    const execution = { id: 'execution_1', status: 'failed', error: { message: 'no' }, logs: [] };
    server.script(json({ code: 'function_failed', detail: 'the function threw', execution }, 422));
    const error = await failure();
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ name: 'ExecutionError', execution, code: 'function_failed' });
  });

  it('without a server names the address that was tried', async () => {
    const error = await failure({}, { baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: 'no response from http://127.0.0.1:9/call/f: is Patchbay running there?',
      cause: expect.any(Error),
    });
  });

  it('passes instanceof against a second copy of the package', async () => {
    server.script(json({}, 400));
    const copy = (await import(/* @vite-ignore */ `./errors.ts?${'copy'}`)) as {
      readonly APIError: typeof APIError;
    };
    expect(copy.APIError).not.toBe(APIError);
    const error = await failure();
    expect(error instanceof copy.APIError).toBe(true);
    expect(new Error('x') instanceof copy.APIError).toBe(false);
    expect(
      [null, undefined, 'PatchbayError.APIError', {}].some((value) => (value as unknown) instanceof APIError),
    ).toBe(false);
    class Own extends APIError {
      static override readonly kind = 'PatchbayError.APIError.Own';
    }
    expect(error instanceof Own).toBe(false);
    expect(new Own(400, {}) instanceof APIError).toBe(true);
  });

  it('of a call that only asks for metadata or the response is not reported twice', async () => {
    server.script(json({}, 400));
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    await createClient({ baseUrl: server.url })
      .ai['f']({})
      .withMeta()
      .catch(() => {});
    await createClient({ baseUrl: server.url })
      .ai['f']({})
      .asResponse()
      .catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});

describe('the timeout', () => {
  it.each<[string, Answer]>([
    ['without a response', hang],
    ['in the middle of a response', stallBody],
  ])('ends a request %s', async (_name, answer) => {
    server.script(answer);
    // The time is up once the request has arrived, however busy the machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const result = failure({ timeout: 50, maxRetries: 0 });
    const { closed } = await server.next();
    vi.advanceTimersByTime(50);
    vi.useRealTimers();
    const error = await result;
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: `no response from ${server.url}/call/f within 50 ms`,
    });
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    await closed;
  });
});

describe('an abort', () => {
  const reason = new Error('not wanted any more');

  it('before the call sends nothing', async () => {
    server.script(output({}));
    expect(await failure({ signal: AbortSignal.abort(reason) })).toBe(reason);
    await call();
    expect(server.requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/call/f']]);
  });

  it.each<[string, Answer]>([
    ['while it waits', hang],
    ['in the middle of a response', stallBody],
  ])('%s closes the connection', async (_name, answer) => {
    server.script(answer);
    const controller = new AbortController();
    const result = failure({ signal: controller.signal });
    const { closed } = await server.next();
    const cancellation = server.next();
    controller.abort(reason);
    expect(await result).toBe(reason);
    await closed;
    await cancellation;
  });

  const abortWhileWaiting = async (options: object): Promise<Received> => {
    server.script(hang);
    const controller = new AbortController();
    const result = failure({ signal: controller.signal, ...options });
    const first = await server.next();
    server.script(output({}));
    controller.abort(reason);
    expect(await result).toBe(reason);
    return first;
  };

  it.each([
    ['generated by the client', {}],
    ['that was given', { idempotencyKey: 'mine' }],
  ])('cancels a request with a key %s', async (_name, options) => {
    const first = await abortWhileWaiting(options);
    const { 'idempotency-key': key } = first.headers;
    expect(key).toMatch(/^([\da-f-]{36}|mine)$/);
    await expect
      .poll(() => server.requests)
      .toMatchObject([{ method: 'DELETE', path: '/requests', headers: { 'idempotency-key': key } }]);
  });

  it('sends nothing more for a request without a key', async () => {
    await abortWhileWaiting({ idempotencyKey: false });
    await call();
    expect(server.requests.map(({ path }) => path)).toEqual(['/call/f']);
  });

  it('between two attempts ends the wait', async () => {
    server.script(json({ retryable: true }, 503, { 'retry-after': '30' }));
    const controller = new AbortController();
    const result = failure({ signal: controller.signal });
    const { closed } = await server.next();
    await closed;
    controller.abort(reason);
    expect(await result).toBe(reason);
  });
});
