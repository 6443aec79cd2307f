// Code, models and functions that nobody stored, called through one object, against a running server.
import { APIError, createClient } from '@patchbay/client';

const apiKey = process.env['PATCHBAY_API_KEY'];
if (!apiKey) {
  console.error('Set PATCHBAY_API_KEY to the admin key that the server printed at its first start.');
  process.exit(1);
}
const client = createClient({ apiKey });
const text = 'A patch bay connects devices. It has many holes. Cables go from one hole to another.';
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const count = { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] };
const summary = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] };

// What an operator does once: one function is code, the other one is left to a model, with settings on the server.
const code = `export default ({ text }) => ({ words: text.split(' ').length });`;
const settings = { system: 'Answer in one sentence.', repairs: 1 };
const stored = await Promise.all([
  client.functions.create({ name: 'Count Words', input, output: count, code }),
  client.functions.create({ name: 'Summarize', input, output: summary, settings }),
]);

// What the application does: it does not know which is which. The third function is not stored anywhere.
const ai = client.AI({ label: { topic: 'devices | cooking | travel', keywords: ['three words'] } });
const { countWords, summarize } = ai;
console.log('code       ', await countWords({ text }));
console.log('model      ', await summarize({ text }));
console.log('declared   ', await ai.label({ text }));

const { meta } = await summarize({ text }).withMeta();
console.log('made by    ', meta.source, meta.model);

const refused: unknown = await ai.$call('countWord', { text }).catch((error: unknown) => error);
if (refused instanceof APIError) console.log('not there  ', refused.code, refused.problem['nearest']);

for (const { id } of stored) await client.functions.delete(id);
