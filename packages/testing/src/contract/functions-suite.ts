import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from './api-under-test.ts';
import { assertMembers, assertProblem, timestamp } from './expect-answer.ts';
import { createFunction, createFunctionAt, summarize } from './sample-function.ts';

type Row = Readonly<Record<string, string>>;
const rowsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body['data'] as readonly Row[];

/** Walks the functions of the interface specification, field by field. */
export function functionsSuite({ describe, it }: ApiSuite): void {
  describe('POST /functions', () => {
    it('answers 201 with the full function, its place and equal timestamps', async (api) => {
      const { status, headers, body } = await api.ask('POST', '/functions', { body: summarize });
      assert.equal(status, 201);
      assertMembers(body, summarize);
      assert.match(String(body['createdAt']), timestamp);
      assert.equal(body['updatedAt'], body['createdAt']);
      assert.equal(api.within(headers.get('location')), `/functions/${String(body['id'])}`);
      assert.equal(JSON.stringify(body['input']), JSON.stringify(summarize.input));
    });

    it('accepts a function without description, and two with one name', async (api) => {
      const { description: _, ...bare } = summarize;
      const create = () => api.ask('POST', '/functions', { body: bare });
      const [one, other] = await Promise.all([create(), create()]);
      assert.equal(one.body['description'], '');
      assert.notEqual(one.body['id'], other.body['id']);
    });

    it('runs once for one Idempotency-Key', async (api) => {
      const create = () => api.ask('POST', '/functions', { body: summarize, headers: { 'idempotency-key': 'once' } });
      const first = await create();
      const second = await create();
      assert.deepEqual([first.status, second.status], [201, 201]);
      assert.equal(first.text, second.text);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
    });
  });

  describe('GET /functions/:id', () => {
    it('returns the created function', async (api) => {
      const created = await createFunction(api);
      const { status, body } = await api.ask('GET', `/functions/${String(created['id'])}`);
      assert.equal(status, 200);
      assert.deepEqual(body, created);
    });

    it('answers 404 for an id that does not exist', async (api) => {
      assertProblem(await api.ask('GET', '/functions/function_00000000000000000000000000'), 404, 'function_not_found');
    });
  });

  describe('PUT /functions/:id', () => {
    it('replaces everything, keeps createdAt and moves updatedAt', async (api) => {
      const created = await createFunction(api);
      const path = `/functions/${String(created['id'])}`;
      const next = { ...summarize, name: 'Other', description: 'Changed', code: 'export default () => ({})' };
      const { status, body } = await api.ask('PUT', path, { body: next });
      assert.equal(status, 200);
      assertMembers(body, { ...next, id: created['id'], createdAt: created['createdAt'] });
      assert.ok(String(body['updatedAt']) > String(created['updatedAt']));
      assert.deepEqual((await api.ask('GET', path)).body, body);
    });

    it('accepts the document GET returned', async (api) => {
      const created = await createFunction(api);
      const { status, body } = await api.ask('PUT', `/functions/${String(created['id'])}`, { body: created });
      assert.equal(status, 200);
      assertMembers(body, summarize);
    });

    it('follows If-Match', async (api) => {
      const path = await createFunctionAt(api);
      const { headers } = await api.ask('GET', path);
      const put = () => api.ask('PUT', path, { body: summarize, headers: { 'if-match': headers.get('etag') ?? '' } });
      assert.equal((await put()).status, 200);
      assertProblem(await put(), 412, 'precondition_failed');
    });
  });

  describe('DELETE /functions/:id', () => {
    it('answers success and a message, and the function is gone', async (api) => {
      const path = await createFunctionAt(api);
      const { status, body } = await api.ask('DELETE', path);
      assert.equal(status, 200);
      assert.deepEqual([Object.keys(body).sort(), body['success']], [['message', 'success'], true]);
      assert.equal((await api.ask('GET', path)).status, 404);
      assert.equal((await api.ask('DELETE', path)).status, 404);
    });
  });

  describe('GET /functions', () => {
    it('returns the documented defaults, order, fields and totals', async (api) => {
      const total = async () => ((await api.ask('GET', '/functions')).body['meta'] as { total: number }).total;
      const before = await total();
      const created: unknown[] = [];
      for (let index = 0; index < 23; index += 1) {
        created.unshift((await createFunction(api, { name: `f${index}`, description: '' }))['id']);
      }
      const answer = await api.ask('GET', '/functions');
      assert.equal(answer.status, 200);
      assert.deepEqual(
        rowsOf(answer).map(({ id }) => id),
        created.slice(0, 20),
      );
      assertMembers(answer.body['meta'] as Row, { total: before + 23, limit: 20, offset: 0 });
      for (const row of rowsOf(answer)) {
        assert.deepEqual(Object.keys(row).sort(), ['createdAt', 'description', 'id', 'name', 'updatedAt']);
      }
    });

    it('pages by limit and offset, with the total on every page', async (api) => {
      for (const name of ['a', 'b', 'c', 'd']) await createFunction(api, { name });
      const all = rowsOf(await api.ask('GET', '/functions?limit=100')).map(({ id }) => id);
      const last = await api.ask('GET', `/functions?limit=10&offset=${all.length - 3}`);
      assert.deepEqual(
        rowsOf(last).map(({ id }) => id),
        all.slice(-3),
      );
      assertMembers(last.body['meta'] as Row, { total: all.length, limit: 10, offset: all.length - 3 });
      const beyond = await api.ask('GET', '/functions?offset=10000');
      assert.deepEqual([rowsOf(beyond), (beyond.body['meta'] as { total: number }).total], [[], all.length]);
    });

    for (const field of ['createdAt', 'updatedAt', 'name'] as const) {
      it(`sorts by ${field} in both directions`, async (api) => {
        const list = async (order: string) =>
          rowsOf(await api.ask('GET', `/functions?limit=100&sort=${field}&order=${order}`));
        const ascending = await list('asc');
        const ids = (await list('desc')).map(({ id }) => id);
        assert.deepEqual(
          ids.toReversed(),
          ascending.map(({ id }) => id),
        );
        const values = ascending.map((row) => row[field] ?? '');
        assert.deepEqual(
          values,
          values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0)),
        );
      });
    }
  });

  executionsSuite({ describe, it });
}

function executionsSuite({ describe, it }: ApiSuite): void {
  const execute = (api: ApiClient, path: string, input: object, headers = {}) =>
    api.ask('POST', `${path}/execute`, { body: { input }, headers });

  describe('POST /functions/:id/execute', () => {
    it('runs the bare sample of the specification with a default left out', async (api) => {
      const path = await createFunctionAt(api);
      const text = 'One. Two. Three. Four. Five. Six. Seven';
      const { status, body } = await execute(api, path, { text });
      assert.equal(status, 200, JSON.stringify(body));
      assertMembers(body, {
        functionId: path.split('/').at(-1),
        status: 'completed',
        input: { text },
        effectiveInput: { text, maxPoints: 5 },
        output: { summary: 'One', points: ['One', 'Two', 'Three', 'Four', 'Five'] },
      });
      assert.match(String(body['id']), /^execution_/);
      for (const field of ['createdAt', 'completedAt']) assert.match(String(body[field]), timestamp);
      assert.ok(String(body['completedAt']) >= String(body['createdAt']));
      assert.deepEqual((await api.ask('GET', `/executions/${String(body['id'])}`)).body, body);
    });

    it('refuses an input that does not fit, and says where', async (api) => {
      const path = await createFunctionAt(api);
      assertProblem(await execute(api, path, { text: 7 }), 422, 'input_invalid', '/input/text');
    });

    it('runs later where the caller prefers it, and the logs can be followed', async (api) => {
      const path = await createFunctionAt(api, {
        code: `export default async ({ text }, { log }) => {
          log.info('about ' + text);
          return { summary: text, points: [] };
        }`,
      });
      const { status, headers, body } = await execute(api, path, { text: 'x' }, { prefer: 'respond-async' });
      assert.deepEqual([status, headers.get('preference-applied')], [202, 'respond-async']);
      const place = api.within(headers.get('location'));
      assert.equal(place, `/executions/${String(body['id'])}`);
      const logs = await api.ask('GET', `${place}/logs`, { headers: { accept: 'text/event-stream' } });
      assert.match(logs.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.match(logs.text, /about x/);
      assertMembers((await api.ask('GET', place)).body, { status: 'completed', output: { summary: 'x', points: [] } });
    });

    it('lists the executions and the versions of a function', async (api) => {
      const path = await createFunctionAt(api);
      const execution = (await execute(api, path, { text: 'x' })).body;
      const executions = rowsOf(await api.ask('GET', `${path}/executions`));
      assert.deepEqual(
        executions.map(({ id, status }) => [id, status]),
        [[execution['id'], 'completed']],
      );
      await api.ask('PUT', path, { body: { ...summarize, name: 'Second' } });
      const versions = rowsOf(await api.ask('GET', `${path}/versions`));
      assert.deepEqual(
        versions.map(({ version, name }) => [version, name]),
        [
          [2, 'Second'],
          [1, 'Summarize Text'],
        ],
      );
      const restored = await api.ask('POST', `${path}/versions/1/restore`);
      assert.deepEqual([restored.status, restored.body['name']], [200, 'Summarize Text']);
    });
  });
}
