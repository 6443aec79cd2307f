// Two replicas and a worker on one PostgreSQL, behind a balancer: `npm run example -- postgres-replicas`.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '@patchbay/postgres-for-tests';
import { startBalancer } from './balancer.ts';
import { startProcess } from './start-process.ts';

// For a first try there is one from npm, which forgets everything at the end.
const own = process.env['DATABASE_URL'] === undefined ? await startPostgres() : undefined;
const key = process.env['PATCHBAY_BOOTSTRAP_KEY'] ?? randomBytes(24).toString('hex');
const env = {
  DATABASE_URL: process.env['DATABASE_URL'] ?? own?.url,
  PATCHBAY_SECRET: process.env['PATCHBAY_SECRET'] ?? randomBytes(32).toString('hex'),
  PATCHBAY_BOOTSTRAP_KEY: key,
};
// From here on, so that no signal is too early for what must be stopped.
const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
const say = (what: string, detail: string): void => console.log(`${what.padEnd(10)} ${detail}`);

// At once: one of them creates the tables, and the others wait for that.
const [one, two, worker] = await Promise.all([
  startProcess('replica', env),
  startProcess('replica', env),
  startProcess('worker', env),
]);
const replicas = [one, two];
const balancer = await startBalancer(() => replicas.map(({ url }) => url), Number(process.env['PORT'] ?? 4820));
say('replicas', replicas.map(({ url }) => url).join(' '));
say('worker', worker.url);
say('balancer', balancer.url);

async function ask(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await fetch(balancer.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const replica = replicas.findIndex(({ url }) => url === response.headers.get('x-replica')) + 1;
  return { replica, body: (await response.json()) as Record<string, unknown> };
}

async function show(): Promise<void> {
  const created = await ask('POST', '/functions', {
    name: 'Greet',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    output: { type: 'object', properties: { greeting: { type: 'string' } } },
    code: 'export default ({ name }) => ({ greeting: "Hello, " + name })',
  });
  const path = `/functions/${String(created.body['id'])}`;
  say('created', `by replica ${created.replica}`);
  for (const name of ['Ada', 'Grace']) {
    const { replica, body } = await ask('POST', `${path}/execute`, { input: { name } });
    say('executed', `by replica ${replica}: ${JSON.stringify(body['output'])}`);
  }

  const queued = await ask('POST', `${path}/execute`, { input: { name: 'Edsger' } }, { prefer: 'respond-async' });
  let execution = queued.body;
  while (execution['status'] === 'queued' || execution['status'] === 'running') {
    await delay(50);
    execution = (await ask('GET', `/executions/${String(execution['id'])}`)).body;
  }
  say('executed', `by the worker: ${JSON.stringify(execution['output'])}`);

  // A restart without downtime: requests continue all the time.
  let answered = 0;
  let failed = 0;
  let restarting = true;
  const load = (async () => {
    while (restarting) {
      await ask('GET', path).then(
        () => (answered += 1),
        () => (failed += 1),
      );
      // One client may not send as many requests as it can: rate limits are on.
      await delay(50);
    }
  })();
  for (const [index, replica] of replicas.entries()) {
    await replica.stop();
    replicas[index] = await startProcess('replica', env);
    // The balancer must have seen the new one before the next one stops.
    await delay(2_000);
  }
  restarting = false;
  await load;
  say('restarted', `both replicas; meanwhile ${answered} requests were answered, and ${failed} failed`);
}

try {
  await show();
  say('running', 'until Ctrl-C');
  await asked;
} finally {
  await balancer.stop();
  await Promise.all([...replicas, worker].map((each) => each.stop()));
  await own?.stop();
}
say('stopped', 'everything');
