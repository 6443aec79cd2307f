// The life of a function, against a running server.
const url = process.env['PATCHBAY_URL'] ?? 'http://127.0.0.1:4810';
const key = process.env['PATCHBAY_API_KEY'];
if (!key) {
  console.error('Set PATCHBAY_API_KEY to a key of the server, such as the one that it printed at its first start.');
  process.exit(1);
}

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(() => {
    console.error(`No server answers at ${url}: start one, or set PATCHBAY_URL to its address.`);
    process.exit(1);
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

const summarize = {
  name: 'Summarize Text',
  description: 'Keeps the first sentences of a text',
  input: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text to summarize' },
      maxPoints: { type: 'integer', description: 'How many sentences to keep', default: 2 },
    },
    required: ['text'],
  },
  output: {
    type: 'object',
    properties: { points: { type: 'array', items: { type: 'string' } } },
    required: ['points'],
  },
  code: `async function summarizeText({ text, maxPoints }) {
  const points = text.split(/(?<=[.!?])\\s+/).slice(0, maxPoints);
  return { points };
}`,
};

const created = await call('POST', '/functions', summarize);
const id = String(created['id']);
console.log('created   ', id);

const { data, meta } = (await call('GET', '/functions?limit=5')) as { data: { name: string }[]; meta: object };
console.log('listed    ', data.map(({ name }) => name).join(', '), JSON.stringify(meta));

// maxPoints is left out: the default of the input schema is filled in.
const input = { text: 'Patchbay stores functions. It runs them in a jail. It checks what goes in and what comes out.' };
const execution = await call('POST', `/functions/${id}/execute`, { input });
console.log('executed  ', execution['status'], JSON.stringify(execution['output']));

const shorter = {
  ...summarize,
  description: 'Keeps the first words of each sentence',
  code: `export default ({ text, maxPoints }: { text: string; maxPoints: number }) => ({
  points: text.split('. ').slice(0, maxPoints).map((sentence) => sentence.split(' ').slice(0, 2).join(' ') + '…'),
});`,
};
const replaced = await call('PUT', `/functions/${id}`, shorter);
console.log('replaced  ', Date.parse(String(replaced['updatedAt'])) > Date.parse(String(replaced['createdAt'])));

const again = await call('POST', `/functions/${id}/execute`, { input });
console.log('executed  ', again['status'], JSON.stringify(again['output']));

const deleted = await call('DELETE', `/functions/${id}`);
console.log('deleted   ', deleted['success']);
