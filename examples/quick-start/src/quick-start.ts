import { createClient } from '@patchbay/client';

const client = createClient(); // the server at PATCHBAY_URL, or here; the key in PATCHBAY_API_KEY
const countWords = await client.functions.create({
  name: 'Count Words',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  code: 'export default ({ text }) => ({ words: text.split(" ").length })',
});
const ai = client.AI({ facts: { year: 'year of the announcement (integer)', runtime: 'Node | Deno | Bun' } });
const text = 'Deno was announced in 2018. It runs TypeScript. Its programs run in a sandbox.';

console.log(await ai.countWords({ text })); // stored: its code runs in a Deno process, in a jail where the system has one
console.log(await ai.facts({ text })); // declared: a model answers, and the answer is checked and typed
console.log(await ai.summarize({ text })); // neither: a model answers
await client.functions.delete(countWords.id);
