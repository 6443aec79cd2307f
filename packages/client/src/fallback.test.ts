import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, json, output, type ScriptedServer, startServer } from './fixtures/start-server.ts';
import { createClient, ExecutionError } from './index.ts';

// Servers of the published interface that are not Patchbay: each responds to unknown paths in its own way.

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ai = () => createClient({ baseUrl: server.url, maxRetries: 0 }).ai;
const paths = () => server.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
const html: Answer = (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
const execution = { id: 'execution_1', functionId: 'a', status: 'completed', input: {}, output: { n: 1 } };

/** Answers by path; everything else is not found, in the server's own way. */
function serve(answers: Readonly<Record<string, Answer>>, notFound: Answer = html): void {
  server.script((response, request) => {
    const answer = answers[`${request.method} ${request.path.split('?')[0]}`] ?? notFound;
    answer(response, request);
  });
}

const list = (...functions: readonly object[]): Answer =>
  json({ data: functions, meta: { total: functions.length, limit: 100, offset: 0 } });

describe('a server that cannot be called by name', () => {
  it.each<[string, Answer]>([
    ['with a page', html],
    ['with another error format', json({ error: { message: 'Cannot POST' } }, 404)],
    ['with an unknown code', json({ code: 'NOT_FOUND' }, 404)],
    ['with 405', json({}, 405)],
    ['as Patchbay does', json({ code: 'route_not_found' }, 404)],
  ])('responds %s and receives no further call by name', async (_name, notFound) => {
    const answers = { 'GET /functions': list({ id: 'a', name: 'f' }), 'POST /functions/a/execute': json(execution) };
    serve(answers, notFound);
    const own = ai();
    expect(await own['f']()).toEqual({ n: 1 });
    expect(await own['f']()).toEqual({ n: 1 });
    const execute = 'POST /functions/a/execute';
    expect(paths()).toEqual(['POST /call/f', 'GET /functions', execute, execute]);
    const keys = server.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['idempotency-key']);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
  });

  it('receives one listing request for many concurrent calls', async () => {
    serve({ 'GET /functions': list({ id: 'a', name: 'f' }), 'POST /functions/a/execute': json(execution) });
    const own = ai();
    await own['f']();
    server.script();
    serve({ 'GET /functions': list({ id: 'a', name: 'f' }), 'POST /functions/a/execute': json(execution) });
    await Promise.all(Array.from({ length: 20 }, () => own['f']()));
    expect(paths().filter((path) => path === 'GET /functions')).toEqual([]);
    const fresh = ai();
    await Promise.all(Array.from({ length: 20 }, () => fresh['f']()));
    expect(paths().filter((path) => path === 'GET /functions')).toEqual(['GET /functions']);
  });

  it('receives the next call by name again, since a proxy may have answered without its server', async () => {
    serve({});
    const own = ai();
    await expect(own['f']()).rejects.toMatchObject({ status: 404 });
    serve({ 'POST /call/f': output({ n: 2 }) });
    expect(await own['f']()).toEqual({ n: 2 });
  });

  it('is believed about an unknown name if it has the endpoint for calls', async () => {
    serve({}, json({ code: 'function_not_found', detail: 'there is no function "f"; did you mean "g"?' }, 404));
    await expect(ai()['f']()).rejects.toThrow('did you mean "g"?');
    expect(paths()).toEqual(['POST /call/f']);
  });

  it('that responds with an incomplete execution has failed', async () => {
    const failed = { ...execution, status: 'failed' };
    serve({ 'GET /functions': list({ id: 'a', name: 'f' }), 'POST /functions/a/execute': json(failed) });
    const error = await ai()
      ['f']()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toMatchObject({ message: '200, the execution is failed', execution: failed });
  });

  it('that fails to list functions is asked again at the next call', async () => {
    serve({ 'GET /functions': json({}, 500) });
    const own = ai();
    await expect(own['f']()).rejects.toMatchObject({ status: 500 });
    serve({
      'GET /functions': list(),
      'POST /function-calling': json({ id: '1', functionCall: { name: 'f', arguments: { a: 1 } } }),
    });
    expect(await own['f']()).toEqual({ a: 1 });
  });

  it('aborts only the call whose signal aborts while functions are listed', async () => {
    let answerList: (() => void) | undefined;
    const listed = new Promise<void>((resolve) => {
      serve({
        'GET /functions': (response, request) => {
          answerList = () => list({ id: 'a', name: 'f' })(response, request);
          resolve();
        },
        'POST /functions/a/execute': json(execution),
      });
    });
    const own = ai();
    const controller = new AbortController();
    const reason = new Error('enough');
    const left = own['f']({}, { signal: controller.signal }) as Promise<unknown>;
    await listed;
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    answerList?.();
    expect(await own['f']()).toEqual({ n: 1 });
  });
});
