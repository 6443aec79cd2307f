import { missingPostgres, openPostgres, type TestDatabase, type TestPostgres } from '@patchbay/postgres-for-tests';
import { apiConformance } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { adminKey, ask, type ServerProcess, startServerProcess, temporaryData } from '../driver/server-process.ts';
import { postgresConfig } from './postgres-config.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';

const models = { chat: 'demo/extractive', embeddings: 'demo/hash-embed-512' };
const missing = missingPostgres();
const reason = missing === undefined ? '' : ` (${missing})`;

describe.skipIf(missing !== undefined)(`two replicas on one PostgreSQL${reason}`, () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let door: RoundRobin;
  const replicas: ServerProcess[] = [];
  const folders: Awaited<ReturnType<typeof temporaryData>>[] = [];

  beforeAll(async () => {
    postgres = await openPostgres();
    database = await postgres.createDatabase();
    const options = { config: await postgresConfig(), env: { DATABASE_URL: database.url } };
    // At once: one of them migrates, and the other waits for it.
    const started = await Promise.all(
      [0, 1].map(async () => {
        const data = await temporaryData();
        folders.push(data);
        return await startServerProcess(data.path, options);
      }),
    );
    replicas.push(...started);
    door = await startRoundRobin(replicas.map(({ url }) => url));
  });

  afterAll(async () => {
    await door?.stop();
    for (const replica of replicas) await replica.end('SIGTERM');
    for (const data of folders) await data.remove();
    await postgres?.stop();
  });

  // A second replica matters for stored resources; `operations.test.ts` runs the other topics against one server.
  const topics = isFullSize ? {} : { topics: ['functions'] as const };
  apiConformance({ describe, it }, { api: () => ({ url: door.url, token: adminKey, models }), ...topics });

  it('both have served', () => {
    for (const count of door.counts) expect(count).toBeGreaterThan(10);
  });

  it('never run old code once a new version was acknowledged by the other', async () => {
    const [one, two] = replicas as [ServerProcess, ServerProcess];
    const source = (version: number) => ({
      name: 'Version',
      input: { type: 'object' },
      output: { type: 'object', properties: { version: { type: 'integer' } } },
      code: `export default () => ({ version: ${version} })`,
    });
    const { body } = await ask(one, 'POST', '/functions', source(0));
    const path = `/functions/${String(body['id'])}`;
    for (let version = 1; version <= 5; version += 1) {
      await ask(two, 'POST', `${path}/execute`, { input: {} });
      const [writer, reader] = version % 2 === 0 ? [one, two] : [two, one];
      expect((await ask(writer, 'PUT', path, source(version))).status).toBe(200);
      const answer = await ask(reader, 'POST', `${path}/execute`, { input: {} });
      expect(answer.body['output']).toEqual({ version });
    }
  });

  it('run a request with one idempotency key once, whichever gets it', async () => {
    const [one, two] = replicas as [ServerProcess, ServerProcess];
    const { body } = await ask(one, 'POST', '/functions', {
      name: 'Random',
      input: { type: 'object' },
      output: { type: 'object' },
      code: 'export default () => ({ at: Math.random() })',
    });
    const path = `/functions/${String(body['id'])}`;
    const key = { 'idempotency-key': 'one-of-both' };
    const run = (server: ServerProcess) => ask(server, 'POST', `${path}/execute`, { input: {} }, key);
    const answers = await Promise.all([run(one), run(two), run(one), run(two)]);
    // While the first one runs, the others are refused; afterwards, they get its response.
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const isReplay = ({ headers }: (typeof answers)[number]) => headers.get('idempotency-replayed') === 'true';
    const done = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
    expect(done).toHaveLength(1);
    const again = await run(two);
    expect(isReplay(again)).toBe(true);
    expect(again.body['output']).toEqual(done[0]?.body['output']);
    const listed = await ask(one, 'GET', `${path}/executions`);
    expect(listed.body['data']).toHaveLength(1);
  });

  it('take feedback about what the other has just answered, and one value of two', async () => {
    const [one, two] = replicas as [ServerProcess, ServerProcess];
    const { body } = await ask(one, 'POST', '/generate', { prompt: 'What is a patch bay?', model: models.chat });
    const give = (server: ServerProcess, value: number) =>
      ask(server, 'POST', '/feedback', { target: body['id'], value });
    const given = await Promise.all([give(two, 0.25), give(one, 0.75)]);
    expect(new Set(given.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const kept = given.find(({ status }) => status === 201)?.body;
    expect(kept).toMatchObject({ target: body['id'], model: models.chat });
    for (const server of [one, two]) {
      expect((await ask(server, 'GET', `/feedback/${String(kept?.['id'])}`)).body).toEqual(kept);
    }
  });

  it('refuse a key within five seconds after the other revoked it', async () => {
    const [one, two] = replicas as [ServerProcess, ServerProcess];
    const made = await ask(one, 'POST', '/keys', { name: 'Short', scopes: ['functions:read'] });
    const use = async (server: ServerProcess) =>
      (await fetch(`${server.url}/functions`, { headers: { authorization: `Bearer ${String(made.body['key'])}` } }))
        .status;
    expect([await use(one), await use(two)]).toEqual([200, 200]);
    expect((await ask(one, 'DELETE', `/keys/${String(made.body['id'])}`)).status).toBeLessThan(300);
    const deadline = Date.now() + 5_000;
    let status = await use(two);
    while (status === 200 && Date.now() < deadline) status = await use(two);
    expect(status).toBe(401);
  });

  it('the rows are in PostgreSQL', async () => {
    const sql = 'SELECT (SELECT COUNT(*) FROM executions) AS executions, (SELECT COUNT(*) FROM functions) AS functions';
    const [row] = await database.query(sql);
    expect(Number(row?.['executions'])).toBeGreaterThan(5);
    // The contract deletes its functions; the tests above keep theirs.
    expect(Number(row?.['functions'])).toBeGreaterThanOrEqual(2);
  });

  it('stop in order with no error in their logs', async () => {
    for (const replica of replicas) {
      expect(await replica.end('SIGTERM')).toEqual({ code: 0 });
      expect(replica.log.filter(({ level }) => level === 'error')).toEqual([]);
    }
  });
});
