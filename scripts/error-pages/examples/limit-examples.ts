import deno from '@patchbay/executor-deno';
import demo from '@patchbay/provider-demo';
import openai from '@patchbay/provider-openai';
import type { Examples } from '../example.ts';
import { type ExampleServer, startExampleServer } from '../example-server.ts';
import { codeOf } from './sample-functions.ts';
import { whenRunning } from './when-running.ts';

/**
 * Too much, too often, twice; and a server that has too much to do or is about to stop.
 *
 * @param main A server with room.
 */
export async function limitExamples(main: ExampleServer): Promise<Examples> {
  const server = await startExampleServer({
    executor: { use: deno, with: { maxConcurrent: 1, maxQueued: 0, spares: 1 } },
    providers: {
      demo: { use: demo },
      local: {
        use: openai,
        with: { apiKey: 'none', baseUrl: 'http://127.0.0.1:9/v1', models: [{ name: 'own', vendor: 'none' }] },
      },
    },
    gateway: { models: { 'demo/extractive': { pricing: { input: 1, output: 1 } } } },
    limits: { key: { concurrent: { execute: 1 } } },
  });
  const { refused, done, app } = server;
  const save = async (name: string, code: string) => {
    const { id } = await done('POST', '/functions', codeOf(name, code));
    return `/functions/${String(id)}/execute`;
  };
  const make = async (options: object) =>
    (await done('POST', '/keys', { name: 'Example', scopes: ['*'], ...options }))['key'];
  try {
    const echo = await save('Echo', 'export default (input) => input');
    const wait = await save('Wait', 'export default () => new Promise((resolve) => setTimeout(resolve, 9_000))');
    const execute = async (path: string, key: string, input: object, asked: string) =>
      await refused('POST', path, { body: { input }, headers: { 'idempotency-key': key }, asked });
    const twice = (key: string) => `\`POST /functions/{id}/execute\` with \`Idempotency-Key: ${key}\`, `;

    const slow = await make({ rateLimit: { requests: 1, seconds: 60, burst: 1 } });
    await refused('GET', '/functions', { key: slow });
    const poor = await make({ budget: { usd: 0.000001, period: 'month' } });
    const question = { prompt: 'What is a patch bay? It has sockets. It connects them.', model: 'demo/extractive' };
    await refused('POST', '/generate', { key: poor, body: question });

    const capped = await make({ budget: { usd: 1, period: 'day' } });

    const waiting = execute(wait, 'job-1', {}, '');
    await whenRunning(server);
    const other = await make({});
    const examples: Examples = {
      ...(await repeated(main)),
      idempotency_in_progress: await execute(wait, 'job-1', {}, `${twice('job-1')}while the first is running`),
      rate_limited: await refused('GET', '/functions', {
        key: slow,
        asked: '`GET /functions`, the second time within a minute, with a key for one request a minute',
      }),
      quota_exceeded: await refused('POST', '/generate', { key: poor, body: question }),
      model_unpriced: await refused('POST', '/generate', {
        key: capped,
        body: { ...question, model: 'local/own' },
        asked: '`POST /generate` with a key that has a budget, for a model without `pricing`',
      }),
      concurrency_limited: await refused('POST', echo, {
        body: { input: {} },
        asked: '`POST /functions/{id}/execute`, while another is in progress, with `limits.key.concurrent.execute: 1`',
      }),
      overloaded: await refused('POST', echo, {
        body: { input: {} },
        key: other,
        asked: '`POST /functions/{id}/execute`, where all places are taken and none may wait (`maxQueued: 0`)',
      }),
    };
    const stopping = app.host.stop(5_000);
    const shutting = await refused('GET', '/functions', {
      asked: '`GET /functions` over a connection that was open when the server began to stop',
    });
    await app.host.stop(0);
    await Promise.all([stopping, waiting]);
    return { ...examples, shutting_down: shutting };
  } finally {
    await server.close();
  }
}

async function repeated({ refused, done }: ExampleServer): Promise<Examples> {
  const code = 'export default ({ size }) => ({ text: "x".repeat(size ?? 1) })';
  const { id } = await done('POST', '/functions', codeOf('Repeat', code));
  const execute = async (key: string, input: object, asked: string) =>
    await refused('POST', `/functions/${String(id)}/execute`, {
      body: { input },
      headers: { 'idempotency-key': key },
      asked: `\`POST /functions/{id}/execute\` with \`Idempotency-Key: ${key}\`, sent again, ${asked}`,
    });
  await execute('order-4711', { amount: 1 }, '');
  const report = { size: 1_048_500, note: 'x'.repeat(2_000) };
  await execute('report-12', report, '');
  return {
    idempotency_key_reused: await execute('order-4711', { amount: 2 }, 'with another body'),
    idempotency_answer_lost: await execute('report-12', report, 'where the answer had more than 1 MiB'),
  };
}
