// Four ways in which a function can come about, and one way to call it.
import { createClient } from '@patchbay/client';

const apiKey = process.env['PATCHBAY_API_KEY'];
if (!apiKey) {
  console.error('Set PATCHBAY_API_KEY to a key of the server, such as the one that it printed at its first start.');
  process.exit(1);
}
const client = createClient({ apiKey, baseUrl: process.env['PATCHBAY_URL'] ?? 'http://127.0.0.1:4810' });
const text =
  'Deno is a runtime for JavaScript and TypeScript. It was announced in 2018 by Ryan Dahl. ' +
  'Programs run in a sandbox. Many companies use the runtime on servers.';
const textInput = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

// Neither stored nor declared: a model responds with a text.
const ai = client.AI({
  facts: { year: 'year of the announcement (integer)', runtime: 'Node | Deno | Bun' },
});
console.log('undeclared  ', await ai.summarize({ text }));

// The shape of the output is declared: it is checked, and typed.
const facts = await ai.facts({ text });
console.log('declared    ', facts, facts.year + 1);

// A function that is stored, with code.
const words = await client.functions.create({
  name: 'Count Words',
  input: textInput,
  output: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  code: 'export default ({ text }: { text: string }) => ({ words: text.split(/\\s+/).length });',
});
console.log('code        ', await ai.countWords({ text }));

// A function that is stored without code: a model does it, by what the server knows of it.
const request = {
  name: 'Name the Language',
  description: 'Names the programming language that a text is about.',
  input: textInput,
  output: { type: 'object', properties: { language: { enum: ['Rust', 'Go', 'TypeScript'] } }, required: ['language'] },
  code: '',
  settings: { model: 'auto', temperature: 0 },
} as const;
const language = await client.functions.create(request);
const { data, meta } = await ai.nameTheLanguage({ text }).withMeta();
console.log('model-backed', data, meta.model);

await client.functions.delete(words.id);
await client.functions.delete(language.id);
