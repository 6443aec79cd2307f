import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  ask,
  type ServerProcess,
  type StartOptions,
  startServerProcess,
  temporaryData,
} from './server-process.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const summarize = {
  name: 'Summarize Text',
  description: 'Summarizes a text',
  input: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text' },
      maxPoints: { type: 'integer', description: 'How many points', default: 5 },
    },
    required: ['text'],
  },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
  // As the specification's own sample: a bare declaration without export.
  code: `async function summarizeText({ text, maxPoints = 5 }) {
    const points = text.split('. ').slice(0, maxPoints);
    return { summary: points[0], points };
  }`,
};

/** Walks area A of the interface specification, field by field, against a server with Deno and a storage of its own. */
export function areaASuite(options: () => Promise<StartOptions> = async () => ({})): void {
  let server: ServerProcess;
  let data: Awaited<ReturnType<typeof temporaryData>>;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> => ask(server, method, path, body);

  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path, await options());
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await data.remove();
  });

  async function create(changes: object = {}): Promise<Record<string, unknown>> {
    const { status, body } = await call('POST', '/functions', { ...summarize, ...changes });
    expect(status).toBe(201);
    return body;
  }

  describe('POST /functions', () => {
    it('answers 201 with the full function, its place and equal timestamps', async () => {
      const { status, headers, body } = await call('POST', '/functions', summarize);
      expect(status).toBe(201);
      expect(body).toMatchObject(summarize);
      for (const field of ['id', 'name', 'description', 'code', 'createdAt', 'updatedAt']) {
        expect(typeof body[field], field).toBe('string');
      }
      expect(body['createdAt']).toMatch(timestamp);
      expect(body['updatedAt']).toBe(body['createdAt']);
      expect(headers.get('location')).toBe(`/functions/${String(body['id'])}`);
      expect(JSON.stringify(body['input'])).toBe(JSON.stringify(summarize.input));
    });

    it('takes a function without description, and two of one name', async () => {
      const { description: _, ...bare } = summarize;
      const [one, other] = await Promise.all([call('POST', '/functions', bare), call('POST', '/functions', bare)]);
      expect(one.body['description']).toBe('');
      expect(one.body['id']).not.toBe(other.body['id']);
    });
  });

  describe('GET /functions/:id', () => {
    it('returns what was created', async () => {
      const created = await create();
      const { status, body } = await call('GET', `/functions/${String(created['id'])}`);
      expect(status).toBe(200);
      expect(body).toEqual(created);
    });

    it('answers 404 for an id that does not exist', async () => {
      const { status, headers, body } = await call('GET', '/functions/function_00000000000000000000000000');
      expect(status).toBe(404);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(body).toMatchObject({ status: 404, code: 'function_not_found', requestId: headers.get('request-id') });
    });
  });

  describe('PUT /functions/:id', () => {
    it('replaces everything, keeps createdAt and moves updatedAt', async () => {
      const created = await create();
      const next = { ...summarize, name: 'Other', description: 'Changed', code: 'export default () => ({})' };
      const { status, body } = await call('PUT', `/functions/${String(created['id'])}`, next);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...next, id: created['id'], createdAt: created['createdAt'] });
      expect(String(body['updatedAt']) > String(created['updatedAt'])).toBe(true);
      expect((await call('GET', `/functions/${String(created['id'])}`)).body).toEqual(body);
    });

    it('takes back what GET returned', async () => {
      const created = await create();
      const { status, body } = await call('PUT', `/functions/${String(created['id'])}`, created);
      expect(status).toBe(200);
      expect(body).toMatchObject(summarize);
    });
  });

  describe('DELETE /functions/:id', () => {
    it('answers success and a message, and the function is gone', async () => {
      const created = await create();
      const { status, body } = await call('DELETE', `/functions/${String(created['id'])}`);
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.any(String) });
      expect((await call('GET', `/functions/${String(created['id'])}`)).status).toBe(404);
      expect((await call('DELETE', `/functions/${String(created['id'])}`)).status).toBe(404);
    });
  });

  describe('GET /functions', () => {
    it('has the documented defaults, order, fields and totals', async () => {
      const before = ((await call('GET', '/functions')).body['meta'] as { total: number }).total;
      const created: Record<string, unknown>[] = [];
      for (let index = 0; index < 23; index += 1) created.push(await create({ name: `f${index}`, description: '' }));
      const { status, body } = await call('GET', '/functions');
      expect(status).toBe(200);
      const rows = body['data'] as Record<string, unknown>[];
      expect(rows.map(({ id }) => id)).toEqual(
        created
          .toReversed()
          .slice(0, 20)
          .map(({ id }) => id),
      );
      expect(body['meta']).toMatchObject({ total: before + 23, limit: 20, offset: 0 });
      for (const row of rows) {
        expect(Object.keys(row).sort()).toEqual(['createdAt', 'description', 'id', 'name', 'updatedAt']);
      }
    });

    it('pages by limit and offset, and tells the total on the last page too', async () => {
      const all = ((await call('GET', '/functions?limit=100')).body['data'] as { id: string }[]).map(({ id }) => id);
      const { body } = await call('GET', `/functions?limit=10&offset=${all.length - 3}`);
      expect((body['data'] as { id: string }[]).map(({ id }) => id)).toEqual(all.slice(-3));
      expect(body['meta']).toMatchObject({ total: all.length, limit: 10, offset: all.length - 3 });
      const beyond = await call('GET', '/functions?offset=10000');
      expect(beyond.body).toMatchObject({ data: [], meta: { total: all.length } });
    });

    it.each(['createdAt', 'updatedAt', 'name'])('sorts by %s in both directions', async (field) => {
      const ascending = (await call('GET', `/functions?limit=100&sort=${field}&order=asc`)).body['data'] as Record<
        string,
        string
      >[];
      const descending = (await call('GET', `/functions?limit=100&sort=${field}&order=desc`)).body['data'] as Record<
        string,
        string
      >[];
      expect(ascending.map(({ id }) => id)).toEqual(descending.map(({ id }) => id).toReversed());
      const values = ascending.map((row) => row[field] as string);
      expect(values).toEqual(values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0)));
    });
  });

  describe('POST /functions/:id/execute', () => {
    it('runs the bare sample of the specification with a default left out', async () => {
      const created = await create();
      const text = 'One. Two. Three. Four. Five. Six. Seven';
      const { status, body } = await call('POST', `/functions/${String(created['id'])}/execute`, { input: { text } });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        functionId: created['id'],
        status: 'completed',
        input: { text },
        output: { summary: 'One', points: ['One', 'Two', 'Three', 'Four', 'Five'] },
      });
      expect(body['input']).toEqual({ text });
      expect(body['effectiveInput']).toEqual({ text, maxPoints: 5 });
      expect(body['id']).toMatch(/^execution_/);
      for (const field of ['createdAt', 'completedAt']) expect(body[field]).toMatch(timestamp);
      expect(String(body['completedAt']) >= String(body['createdAt'])).toBe(true);
      expect((await call('GET', `/executions/${String(body['id'])}`)).body).toEqual(body);
    });

    it.each([
      ['export default', 'export default ({ text }) => ({ summary: text, points: [] })'],
      ['a function expression', '(async ({ text }) => ({ summary: text, points: [] }))'],
      ['main', 'export function main({ text }) { return { summary: text, points: [] } }'],
      ['handler', 'const handler = async ({ text }) => ({ summary: text, points: [] }); export { handler };'],
      [
        'TypeScript',
        'export default ({ text }: { text: string }): { summary: string; points: string[] } => ({ summary: text, points: [] })',
      ],
    ])('runs code in the form of %s', async (_, code) => {
      const created = await create({ code });
      const { status, body } = await call('POST', `/functions/${String(created['id'])}/execute`, {
        input: { text: 'x' },
      });
      expect([status, body['output']]).toEqual([200, { summary: 'x', points: [] }]);
    });

    it('lists the executions and the versions of a function', async () => {
      const created = await create();
      const path = `/functions/${String(created['id'])}`;
      const execution = (await call('POST', `${path}/execute`, { input: { text: 'x' } })).body;
      const executions = (await call('GET', `${path}/executions`)).body;
      expect(executions).toMatchObject({ data: [{ id: execution['id'], status: 'completed' }], meta: { total: 1 } });
      await call('PUT', path, { ...summarize, name: 'Second' });
      expect((await call('GET', `${path}/versions`)).body).toMatchObject({
        data: [
          { version: 2, name: 'Second' },
          { version: 1, name: 'Summarize Text' },
        ],
      });
      const restored = await call('POST', `${path}/versions/1/restore`);
      expect([restored.status, restored.body['name']]).toEqual([200, 'Summarize Text']);
    });
  });

  describe('authentication', () => {
    it('is asked for on every endpoint that has data', async () => {
      const paths = ['/functions', '/functions/x', '/executions/x', '/functions/x/executions', '/functions/x/versions'];
      for (const path of paths) {
        const response = await fetch(server.url + path);
        expect([path, response.status]).toEqual([path, 401]);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    });
  });
}
