import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, type Row, rowsOf, timestamp } from '../expect-answer.ts';
import { readEvents } from '../read-events.ts';
import { summarize, withFunction } from '../sample-function.ts';

const missing = 'execution_00000000000000000000000000';
const text = 'A patch bay has sockets. Cables connect them.';
const input = { text };
const effectiveInput = { text, maxPoints: 5 };
const output = { summary: 'A patch bay has sockets', points: ['A patch bay has sockets', 'Cables connect them.'] };

/** Runs for longer than any test waits for it. */
const waiting = {
  name: 'Wait',
  input: { type: 'object' },
  output: { type: 'object' },
  code: 'export default () => new Promise((done) => setTimeout(done, 9_000, {}));\n',
};

export function executionOperations(suite: ApiSuite): void {
  suite.describe('executions', () => {
    runs(suite);
    records(suite);
    cancellations(suite);
  });
}

const execute = (api: ApiClient, path: string, given: object = input) =>
  api.ask('POST', `${path}/execute`, { body: { input: given } });

function runs({ it }: ApiSuite): void {
  it('executeFunction responds with the completed execution', async (api) => {
    const nothing = await execute(api, '/functions/function_00000000000000000000000000');
    assertProblem(nothing, 404, 'function_not_found');
    await withFunction(api, {}, async (path, { id: functionId }) => {
      assertProblem(await execute(api, path, { text: 7 }), 422, 'input_invalid', '/input/text');
      const { status, body } = await execute(api, path);
      assert.equal(status, 200, JSON.stringify(body));
      assertMembers(body, { functionId, status: 'completed', input, effectiveInput, output, functionVersion: 1 });
      for (const field of ['createdAt', 'completedAt']) assert.match(String(body[field]), timestamp);
    });
  });

  it('testFunction runs a function that is not stored', async (api) => {
    const { name: _, description: __, ...tested } = summarize;
    const wrong = await api.ask('POST', '/functions/test', { body: { function: tested, input: 7 } });
    assertProblem(wrong, 400, 'invalid_request', '/input');
    const { status, body } = await api.ask('POST', '/functions/test', { body: { function: tested, input } });
    assert.equal(status, 200, JSON.stringify(body));
    assertMembers(body, { status: 'completed', input, effectiveInput, output });
    assert.deepEqual([body['id'], body['functionId']], [undefined, undefined]);
  });

  it('testFunction streams the lines that code logs, the outputs that it yields, and the run', async (api) => {
    const { input: schema } = summarize;
    const code = `export default async function* () {
  console.log('it begins');
  yield { done: 1 };
  return { done: 2 };
}`;
    const given = { function: { input: schema, output: { type: 'object' }, code }, input, stream: true };
    const wrong = await api.ask('POST', '/functions/test', { body: { ...given, input: { text: 7 } } });
    assertProblem(wrong, 422, 'input_invalid', '/input/text');
    const { status, text: sent } = await api.ask('POST', '/functions/test', { body: given });
    assert.equal(status, 200, sent);
    const events = readEvents(sent);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['start', 'log', 'delta', 'done'],
    );
    assert.equal(events[1]?.data['message'], 'it begins');
    assert.deepEqual(events[2]?.data, { output: { done: 1 } });
    assertMembers(events[3]?.data ?? {}, { status: 'completed', output: { done: 2 } });
  });

  it('runProgram runs a program that calls functions by name', async (api) => {
    const program = (code: string) => api.ask('POST', '/executions', { body: { code } });
    await withFunction(api, { name: 'Points For Programs' }, async (_path, { id: called }) => {
      const wrong = await program('const { points } = await functions.pointsForPrograms({ text: 7 });');
      assertProblem(wrong, 422, 'code_invalid', '/code');
      const [fault] = wrong.body['errors'] as readonly Row[];
      assert.deepEqual([fault?.['line'], fault?.['column']], [1, 56]);
      const code = `const { points } = await functions.pointsForPrograms({ text: '${text}' });\nreturn points.length;`;
      const { status, body } = await program(code);
      assert.equal(status, 200, JSON.stringify(body));
      assertMembers(body, { functionId: 'program', status: 'completed', input: { code }, output: { value: 2 } });
      const [call] = body['calls'] as readonly Row[];
      assert.equal(call?.['function'], 'pointsForPrograms');
      const execution = await api.ask('GET', `/executions/${String(call['executionId'])}`);
      assertMembers(execution.body, { functionId: called, parentId: body['id'], status: 'completed', output });
      assert.deepEqual((await api.ask('GET', `/executions/${String(body['id'])}`)).body, body);
    });
  });

  it('callFunctionByName finds a function by its name as an identifier, and streams', async (api) => {
    await withFunction(api, { name: 'List Main Points' }, async (_path, { id: functionId }) => {
      const call = (body: object) => api.ask('POST', '/call/listMainPoints', { body });
      assertProblem(await call({ input: { text: 7 } }), 422, 'input_invalid', '/input/text');
      const { status, body } = await call({ input });
      assert.equal(status, 200, JSON.stringify(body));
      assertMembers(body, { name: 'listMainPoints', source: 'stored', functionId, input, output });
      const streamed = await call({ input, stream: true });
      const events = readEvents(streamed.text);
      assert.equal(events[0]?.event, 'start');
      assertMembers(events.at(-1)?.data ?? {}, { id: events[0]?.data['id'], functionId, output });
    });
  });
}

function records({ it }: ApiSuite): void {
  it('getExecution responds with the execution, also when its function is gone', async (api) => {
    assertProblem(await api.ask('GET', `/executions/${missing}`), 404, 'execution_not_found');
    let execution: Row = {};
    await withFunction(api, {}, async (path) => {
      execution = (await execute(api, path)).body;
    });
    const { status, body } = await api.ask('GET', `/executions/${String(execution['id'])}`);
    assert.equal(status, 200);
    assert.deepEqual(body, execution);
  });

  it('listExecutions responds with the executions of one status', async (api) => {
    assertProblem(await api.ask('GET', '/executions?status=done'), 400, 'invalid_request', '?status');
    const code = "export default () => {\n  throw new Error('no');\n};\n";
    await withFunction(api, { code }, async (path, { id }) => {
      const failed = await execute(api, path);
      assertProblem(failed, 422, 'function_failed');
      const rows = rowsOf(await api.ask('GET', '/executions?status=failed'));
      assertMembers(rows[0] ?? {}, { id: (failed.body['execution'] as Row)['id'], functionId: id, status: 'failed' });
      assert.deepEqual([...new Set(rows.map(({ status }) => status))], ['failed']);
    });
  });

  it('listFunctionExecutions responds with those of one function, without documents', async (api) => {
    await withFunction(api, {}, async (path, { id: functionId }) => {
      const { id, createdAt, completedAt, durationMs } = (await execute(api, path)).body;
      const row = { id, functionId, status: 'completed', createdAt, completedAt, functionVersion: 1, durationMs };
      assert.deepEqual(rowsOf(await api.ask('GET', `${path}/executions`)), [row]);
    });
  });

  it('followExecutionLogs responds with the lines as JSON or as events', async (api) => {
    assertProblem(await api.ask('GET', `/executions/${missing}/logs`), 404, 'execution_not_found');
    const code = `export default ({ text }, { log }) => {
  log.info('summarizing');
  return { summary: text, points: [] };
};
`;
    await withFunction(api, { code }, async (path) => {
      const logs = `/executions/${String((await execute(api, path)).body['id'])}/logs`;
      const accept = (type: string) => ({ headers: { accept: type } });
      const { body } = await api.ask('GET', logs, accept('application/json'));
      assert.equal(body['status'], 'completed');
      const lines = body['data'] as readonly Row[];
      assert.deepEqual(
        lines.map(({ level, message }) => [level, message]),
        [['info', 'summarizing']],
      );
      const followed = await api.ask('GET', logs, accept('text/event-stream'));
      assert.match(followed.headers.get('content-type') ?? '', /^text\/event-stream/);
      const [line, end] = followed.text.replace(': following\n\n', '').split('\n\n');
      assert.equal(line, `id: 1-1\nevent: log\ndata: ${JSON.stringify(lines[0])}`);
      assert.equal(end, 'id: end\nevent: end\ndata: {"status":"completed"}');
      assert.equal((await api.ask('GET', logs, { headers: { 'last-event-id': 'end' } })).status, 204);
    });
  });
}

function cancellations({ it }: ApiSuite): void {
  it('rerunExecution queues another execution with the same input', async (api) => {
    assertProblem(await api.ask('POST', `/executions/${missing}/rerun`), 404, 'execution_not_found');
    await withFunction(api, {}, async (path) => {
      const { body: done } = await execute(api, path);
      const { status, body, headers, text: answer } = await api.ask('POST', `/executions/${String(done['id'])}/rerun`);
      assert.equal(status, 202, answer);
      assertMembers(body, { functionId: done['functionId'], input });
      assert.notEqual(body['id'], done['id']);
      await api.ask('DELETE', api.within(headers.get('location')));
    });
  });

  /** Resolves once the only execution of a function has this status; only polling can tell. */
  const reached = async (api: ApiClient, path: string, wanted: string): Promise<void> => {
    for (;;) {
      const status = rowsOf(await api.ask('GET', `${path}/executions`))[0]?.['status'];
      if (status === wanted) return;
      assert.notEqual(status, 'completed');
      await delay(10);
    }
  };

  it('cancelExecution ends one that runs, and refuses one that has ended', async (api) => {
    await withFunction(api, waiting, async (path) => {
      const queued = await api.ask('POST', `${path}/execute`, {
        body: { input: {} },
        headers: { prefer: 'respond-async' },
      });
      await reached(api, path, 'running');
      const { status, body } = await api.ask('DELETE', `/executions/${String(queued.body['id'])}`);
      assert.equal(status, 200);
      assertMembers(body, { id: queued.body['id'], status: 'cancelled' });
    });
    await withFunction(api, {}, async (path) => {
      const ended = (await execute(api, path)).body;
      assertProblem(await api.ask('DELETE', `/executions/${String(ended['id'])}`), 409, 'conflict');
    });
  });

  it('cancelRequests ends the requests that were sent with a key', async (api) => {
    assertProblem(await api.ask('DELETE', '/requests'), 400, 'invalid_request');
    const headers = { 'idempotency-key': 'summary-of-today' };
    await withFunction(api, waiting, async (path) => {
      const request = api.ask('POST', `${path}/execute`, { body: { input: {} }, headers });
      await reached(api, path, 'running');
      const { status, body } = await api.ask('DELETE', '/requests', { headers });
      assert.deepEqual([status, body], [200, { cancelled: 1 }]);
      assert.ok((await request).status >= 400);
      await reached(api, path, 'cancelled');
    });
  });
}
