import { createClient } from '@patchbay/client';

const client = createClient(); // the server at PATCHBAY_URL, or here; the key in PATCHBAY_API_KEY
const text = { type: 'string' };
const department = { enum: ['billing', 'shipping', 'returns'] };

// Of an earlier run.
const { data: stored } = await client.functions.list({ limit: 100 });
for (const { id, name } of stored) if (name === 'Route Ticket') await client.functions.delete(id);

const { id } = await client.functions.create({
  name: 'Route Ticket',
  input: { type: 'object', properties: { subject: text, text }, required: ['subject', 'text'] },
  output: { type: 'object', properties: { department }, required: ['department'] },
  settings: { model: 'demo/extractive', prompt: '{{input.subject}}' }, // version 1
});
const settings = { model: 'demo/extractive', prompt: '{{input.subject}}\n\n{{input.text}}' }; // version 2
await client.request({ method: 'PUT', path: `/functions/${id}/settings?label=candidate`, body: settings });
const path = `/functions/${id}/experiment`;
await client.request({ method: 'PUT', path, body: { variants: [1, 2] } });

const ai = client.AI({});

/** A ticket, of which the subject, the text or both name the department; the score says whether the answer was right. */
async function route(ticket: number): Promise<void> {
  const wanted = String(department.enum[ticket % 3]);
  const input = {
    subject: ticket % 5 < 3 ? `About ${wanted}` : 'A question',
    text: ticket % 4 === 0 ? 'Please call me back.' : `Who can tell me more about ${wanted}?`,
  };
  const answer = ai.$call('routeTicket', input, { metadata: { subject: `customer ${ticket}` } });
  const routed = (await answer) as { readonly department: string };
  await answer.score(routed.department === wanted);
}

interface Experiment {
  readonly status: string;
  readonly winner: number | null;
  readonly variants: readonly { readonly version: number; readonly mean: number | null }[];
}

let experiment: Experiment;
let tickets = 0;
do {
  await Promise.all(Array.from({ length: 10 }, () => route(++tickets)));
  experiment = (await client.request({ method: 'GET', path })).json as Experiment;
  const { status, variants } = experiment;
  const means = variants.map(({ version, mean }) => `version ${version} ${mean?.toFixed(2)}`).join(', ');
  if (tickets % 50 === 0 || status !== 'running') console.log(`${tickets} tickets: ${means}, ${status}`);
} while (experiment.status === 'running');
console.log(`version ${experiment.winner} answers all calls now`);
