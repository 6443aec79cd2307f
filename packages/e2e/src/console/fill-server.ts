import type { ServerInUse } from '../driver/use-server.ts';

/** Ids of what is on the server. */
export interface Filled {
  /** A function with code, versions, executions and scores. */
  readonly summarize: string;
  /** A function that a model implements, with versions of its settings and an experiment. */
  readonly classify: string;
  /** A schedule of the function with code, which has run. */
  readonly schedule: string;
  /** An execution that has logs. */
  readonly execution: string;
  /** An execution that failed. */
  readonly failed: string;
  /** A call of a model. */
  readonly call: string;
  readonly webhook: string;
  readonly key: string;
  readonly observedName: string;
}

const text = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to work on.' } },
  required: ['text'],
};

const summarize = {
  name: 'Summarize text',
  description: 'The first sentences of a text, and how long it is.',
  input: {
    ...text,
    properties: {
      ...text.properties,
      sentences: { type: 'integer', default: 2 },
      tone: { type: 'string', enum: ['plain', 'formal'], default: 'plain' },
    },
  },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, length: { type: 'integer' } },
    required: ['summary', 'length'],
  },
};

const code = (log: string) => `export default function ({ text, sentences }) {
  console.log(${JSON.stringify(log)}, text.length);
  if (text === '') throw new Error('the text is empty');
  const parts = text.split('. ');
  return { summary: parts.slice(0, sentences).join('. '), length: text.length };
}
`;

const classify = {
  name: 'Classify ticket',
  description: 'Which team answers a ticket.',
  input: text,
  output: {
    type: 'object',
    properties: { label: { type: 'string' }, urgent: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['label', 'urgent', 'reason'],
  },
  settings: { model: 'openai/gpt-4.1', system: 'You sort the tickets of a shop.' },
};

/** Changes the texts that people and programs choose freely. Names have 200 characters at most. */
export interface Wording {
  readonly name: (text: string) => string;
  readonly text: (text: string) => string;
}

const plain: Wording = { name: (text) => text, text: (text) => text };

/** Fill a server by its public API, so that each screen has something to show. */
export async function fillServer(server: ServerInUse, { name, text: word }: Wording = plain): Promise<Filled> {
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await server.ask(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const idOf = async (path: string, body: unknown): Promise<string> => String((await send('POST', path, body))['id']);

  const described = <F extends typeof summarize | typeof classify>(given: F): F => {
    const { input } = given;
    const described = { ...input.properties.text, description: word(input.properties.text.description) };
    return {
      ...given,
      name: name(given.name),
      description: word(given.description),
      input: { ...input, properties: { ...input.properties, text: described } },
    };
  };
  const summarizing = described(summarize);
  const classifying = described(classify);
  const system = word(classify.settings.system);
  const summarizeId = await idOf('/functions', { ...summarizing, code: code(word('reading')) });
  await send('PUT', `/functions/${summarizeId}`, { ...summarizing, code: code(word('reading characters')) });
  const execute = (input: object) => idOf(`/functions/${summarizeId}/execute`, { input });
  const execution = await execute({ text: word('The parcel is late. It left Bern on Monday. No one knows more.') });
  const failed = await server.ask('POST', `/functions/${summarizeId}/execute`, { input: { text: '' } });

  const schedules = `/functions/${summarizeId}/schedules`;
  const times = { cron: '30 8 * * MON-FRI', timezone: 'Europe/Berlin', overlap: 'queue' };
  const schedule = await idOf(schedules, {
    name: 'mornings',
    ...times,
    input: { text: word('Good morning. All is well.') },
  });
  await send('POST', `${schedules}/${schedule}/run`);
  const yearly = await idOf(schedules, { name: 'yearly', every: '365d', input: { text: word('Happy new year.') } });
  await send('POST', `${schedules}/${yearly}/pause`);

  const classifyId = await idOf('/functions', { ...classifying, settings: { ...classify.settings, system } });
  const settings = `/functions/${classifyId}/settings`;
  const candidate = { model: 'anthropic/claude-opus-5-5', system };
  await send('PUT', `${settings}?label=candidate`, candidate);
  // Before the experiment: so that something is known about both versions, whichever the calls below go to.
  const first = await idOf(`/functions/${classifyId}/execute`, { input: { text: 'I paid twice.' } });
  await send('POST', '/feedback', { target: first, value: true });
  await send('PUT', `/functions/${classifyId}/experiment`, { variants: [1, 2], allocation: 'fixed' });
  for (const [index, ticket] of ['I paid twice.', 'Where is my parcel?', 'The app is slow.'].entries()) {
    const target = await idOf(`/functions/${classifyId}/execute`, { input: { text: word(ticket) } });
    await send('POST', '/feedback', { target, value: index !== 1, comment: word('Read by a person.') });
  }
  await send('POST', '/feedback', { target: execution, value: 0.8 });
  const expected = { label: 'billing', urgent: true, reason: word('A charge came twice.') };
  await send('POST', `/functions/${classifyId}/dataset`, {
    examples: [{ input: { text: word('I paid twice.') }, expected }],
  });

  for (const trial of [{ settingsVersion: 1 }, { model: 'anthropic/claude-opus-5-5', settingsVersion: 2 }]) {
    await send('POST', `/functions/${classifyId}/execute`, { input: { text: word('I paid twice.') }, trial });
  }
  const scored = [{ model: 'openai/gpt-4.1', settingsVersion: 1, scores: [1, 1, 0.5] }];
  await send('POST', `/functions/${classifyId}/evidence`, { models: scored });

  await send('POST', '/call/classify_review', {
    input: { text: word('It broke on the first day.') },
    output: classify.output,
  });
  const [observed] = (await send('GET', '/observed-names'))['data'] as readonly { readonly id: string }[];
  const messages = [{ role: 'user', content: word('What happened to my invoice?') }];
  const call = await idOf('/chat', { messages, model: 'openai/gpt-4.1' });
  await send('POST', '/chat', { messages, model: 'auto' });

  const budget = { usd: 5, period: 'month' };
  const key = await idOf('/keys', {
    name: name('Support desk'),
    scopes: ['functions:execute', 'gateway:invoke'],
    budget,
  });
  const revoked = await idOf('/keys', { name: name('Old laptop'), scopes: ['*'] });
  await send('DELETE', `/keys/${revoked}`);
  const webhook = await idOf('/webhooks', {
    url: `https://hooks.example.com/${encodeURIComponent(name('patchbay'))}`,
    events: ['execution.failed', 'experiment.ended'],
    description: word('The channel of the support team.').slice(0, 1_000),
  });
  return {
    summarize: summarizeId,
    classify: classifyId,
    schedule,
    execution,
    failed: (failed.body['execution'] as { readonly id: string }).id,
    call,
    webhook,
    key,
    observedName: String(observed?.id),
  };
}
