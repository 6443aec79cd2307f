import deno from '@patchbay/executor-deno';
import demo from '@patchbay/provider-demo';
import { startExampleServer } from '../error-pages/example-server.ts';
import { startReceiver } from './receiver.ts';
import { type OperationExamples, type Recorder, startRecorder } from './recorder.ts';

const code = `export default ({ text, maxPoints }, { log }) => {
  log.info('summarizing');
  return { points: text.split('. ').slice(0, maxPoints) };
};
`;
const summarize = {
  name: 'Summarize Text',
  description: 'The first sentences of a text.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' }, maxPoints: { type: 'integer', default: 2 } },
    required: ['text'],
  },
  output: {
    type: 'object',
    properties: { points: { type: 'array', items: { type: 'string' } } },
    required: ['points'],
  },
  code,
};
const input = { text: 'A patch bay has sockets. Cables connect them. It needs no solder.' };
const prompt = 'What is a patch bay? A patch bay has sockets. Cables connect them.';
const messages = [{ role: 'user', content: prompt }];

/** Ask every operation of a reference server with Deno and the demo provider, and record what it responds. */
export async function recordExamples(): Promise<OperationExamples> {
  const receiver = await startReceiver();
  const server = await startExampleServer({
    executor: { use: deno },
    providers: { demo: { use: demo } },
    functions: { dynamicCalls: 'allow' },
    webhooks: { allow: ['127.0.0.0/8'] },
  });
  const recorder = startRecorder(server, receiver.origin);
  try {
    const id = await functionExamples(recorder);
    await executionExamples(recorder, id);
    await settingsExamples(recorder, id);
    await modelExamples(recorder);
    await keyExamples(recorder);
    await webhookExamples(recorder, receiver.origin);
    await operatorExamples(recorder);
    await recorder.ask('deleteFunction', 'DELETE', `/functions/${id}`);
    return recorder.examples();
  } finally {
    await server.close();
    await receiver.close();
  }
}

async function functionExamples({ ask, done }: Recorder): Promise<string> {
  const { id } = (await ask('createFunction', 'POST', '/functions', { body: summarize })) as { id: string };
  const path = `/functions/${id}`;
  await ask('getFunction', 'GET', path);
  await ask('replaceFunction', 'PUT', path, { body: { ...summarize, description: 'The main points of a text.' } });
  await ask('listFunctions', 'GET', '/functions');
  await ask('listFunctionVersions', 'GET', `${path}/versions`);
  await ask('getFunctionVersion', 'GET', `${path}/versions/1`);
  await ask('restoreFunctionVersion', 'POST', `${path}/versions/1/restore`, { body: {} });
  await ask('testFunction', 'POST', '/functions/test', {
    body: { function: { input: summarize.input, output: summarize.output, code }, input },
  });
  await done('POST', '/call/translateText', { input: { text: 'Guten Tag', to: 'en' } });
  await done('POST', '/call/guessLanguage', { input: { text: 'Guten Tag' } });
  const { data } = (await ask('listObservedNames', 'GET', '/observed-names')) as { data: { id: string }[] };
  const [first, second] = data.map((each) => `/observed-names/${each.id}`);
  await ask('promoteObservedName', 'POST', `${first}/promote`);
  await ask('deleteObservedName', 'DELETE', second ?? '');
  return id;
}

async function executionExamples({ ask, stream, done }: Recorder, id: string): Promise<void> {
  const execution = (await ask('executeFunction', 'POST', `/functions/${id}/execute`, { body: { input } })) as {
    id: string;
  };
  await ask('getExecution', 'GET', `/executions/${execution.id}`);
  await ask('listExecutions', 'GET', '/executions?status=completed');
  await ask('listFunctionExecutions', 'GET', `/functions/${id}/executions`);
  const logs = `/executions/${execution.id}/logs`;
  await ask('followExecutionLogs', 'GET', logs, { headers: { accept: 'application/json' } });
  await stream('followExecutionLogs', 'GET', logs);
  const waiting = { name: 'Wait', input: { type: 'object' }, output: { type: 'object' } };
  const waits = await done('POST', '/functions', {
    ...waiting,
    code: 'export default () => new Promise((done) => setTimeout(done, 9_000, {}));\n',
  });
  const queued = await done(
    'POST',
    `/functions/${String(waits['id'])}/execute`,
    { input: {} },
    { prefer: 'respond-async' },
  );
  await ask('cancelExecution', 'DELETE', `/executions/${String(queued['id'])}`);
}

async function settingsExamples({ ask, stream }: Recorder, id: string): Promise<void> {
  const path = `/functions/${id}/settings`;
  const settings = { model: 'demo/extractive', temperature: 0.2, prompt: 'Summarize: {{input.text}}' };
  await ask('replaceFunctionSettings', 'PUT', path, { body: settings });
  await ask('getFunctionSettings', 'GET', path);
  await ask('explainFunctionSettings', 'GET', `${path}/explain`);
  await ask('listSettingsVersions', 'GET', `${path}/versions`);
  await ask('getSettingsVersion', 'GET', `${path}/versions/1`);
  await ask('moveSettingsLabel', 'PUT', `${path}/labels/production`, { body: { version: 1 } });
  await ask('getSettingsLabel', 'GET', `${path}/labels/production`);
  await ask('callFunctionByName', 'POST', '/call/summarizeText', { body: { input } });
  await stream('callFunctionByName', 'POST', '/call/summarizeText', { input, stream: true });
  await ask('deleteFunctionSettings', 'DELETE', path);
}

async function modelExamples({ ask, stream }: Recorder): Promise<void> {
  const model = 'demo/extractive';
  await ask('listModels', 'GET', '/models');
  await ask('getModel', 'GET', `/models/${model}`);
  await ask('explainModels', 'POST', '/models/explain', { body: { messages, routing: { optimize: 'cost' } } });
  await ask('generate', 'POST', '/generate', { body: { model, prompt, maxTokens: 64 } });
  await stream('generate', 'POST', '/generate', { model, prompt, maxTokens: 64, stream: true });
  await ask('chat', 'POST', '/chat', { body: { model, messages } });
  await stream('chat', 'POST', '/chat', { model, messages, stream: true });
  await ask('embed', 'POST', '/embeddings', {
    body: { text: 'A patch bay has sockets.' },
    shorten: (response) => ({
      ...response,
      embedding: (response['embedding'] as number[]).filter(Boolean).slice(0, 6),
    }),
    note: '6 of the 512 numbers.',
  });
  const getWeather = {
    name: 'getWeather',
    description: 'Get the weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };
  const asked = { messages: [{ role: 'user', content: 'What is the weather in Lisbon?' }], functions: [getWeather] };
  await ask('generateFunctionCall', 'POST', '/function-calling', { body: asked });
  await stream('generateFunctionCall', 'POST', '/function-calling', { ...asked, stream: true });
}

async function keyExamples({ ask }: Recorder): Promise<void> {
  const body = { name: 'Website', scopes: ['functions:execute'], budget: { usd: 5, period: 'day' } };
  const { id } = (await ask('createKey', 'POST', '/keys', { body })) as { id: string };
  await ask('getKey', 'GET', `/keys/${id}`);
  await ask('listKeys', 'GET', '/keys');
  await ask('rotateKey', 'POST', `/keys/${id}/rotate`, { body: { graceSeconds: 3_600 } });
  await ask('revokeKey', 'DELETE', `/keys/${id}`);
}

async function webhookExamples({ ask, done, until }: Recorder, origin: string): Promise<void> {
  const body = { url: `${origin}/hooks`, events: ['function.created'], description: 'Reviews new functions.' };
  const { id } = (await ask('createWebhook', 'POST', '/webhooks', { body })) as { id: string };
  const path = `/webhooks/${id}`;
  await ask('getWebhook', 'GET', path);
  await ask('listWebhooks', 'GET', '/webhooks');
  await ask('testWebhook', 'POST', `${path}/test`);
  await until(async () => {
    const { data } = (await done('GET', `${path}/deliveries`)) as { data: { state: string }[] };
    return data[0]?.state === 'delivered';
  });
  const { data } = (await ask('listWebhookDeliveries', 'GET', `${path}/deliveries`)) as { data: { id: string }[] };
  await ask('retryWebhookDelivery', 'POST', `${path}/deliveries/${data[0]?.id}/retry`);
  await ask('replayWebhook', 'POST', `${path}/replay`, { body: { since: '2026-11-21T00:00:00.000Z' } });
  await ask('replaceWebhook', 'PUT', path, { body: { ...body, enabled: false } });
  await ask('rotateWebhookSecret', 'POST', `${path}/rotate-secret`);
  await ask('deleteWebhook', 'DELETE', path);
}

async function operatorExamples({ ask, text }: Recorder): Promise<void> {
  await ask('listAuditEntries', 'GET', '/audit?limit=2');
  await ask('readUsage', 'GET', '/usage?groupBy=model');
  await ask('cancelRequests', 'DELETE', '/requests', { headers: { 'idempotency-key': 'summary-2026-11-21' } });
  await ask('getLiveness', 'GET', '/healthz');
  await ask('getReadiness', 'GET', '/readyz');
  await ask('getOpenApi', 'GET', '/openapi.json', {
    shorten: ({ openapi, info }) => ({ openapi, info, paths: {} }),
    note: 'Without paths, webhooks and components.',
  });
  const metric = 'patchbay_model_tokens';
  await text(
    'readMetrics',
    '/metrics',
    (all) =>
      all
        .split('\n')
        .filter((line) => line.includes(metric))
        .slice(0, 3)
        .join('\n'),
    'One of the metrics.',
  );
  await text('getDocs', '/docs', (all) => all.split('\n').slice(0, 6).join('\n'), 'The first lines of the page.');
}
