import { createClient } from '@patchbay/client';

const client = createClient(); // the server at PATCHBAY_URL, or here; the key in PATCHBAY_API_KEY
// Of an earlier run.
const { data: stored } = await client.functions.list({ limit: 100 });
for (const { id, name } of stored) if (name === 'Triage Ticket') await client.functions.delete(id);

await client.functions.create({
  name: 'Triage Ticket',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { department: { enum: ['shipping', 'billing'] } }, required: ['department'] },
  settings: { model: 'auto', maxTokens: 20 }, // no code: the router chooses a model for each call
});

const ai = client.AI({});
const triage = async (parcel: number) => {
  const answer = ai.triageTicket({ text: `The shipping of parcel ${parcel} takes too long.` });
  const { department } = await answer;
  const { model } = await answer.score(department === 'shipping');
  return String(model);
};

for (let first = 1; first <= 300; first += 100) {
  const counts: Record<string, number> = {};
  for (let parcel = first; parcel < first + 100; parcel += 10) {
    const models = await Promise.all(Array.from({ length: 10 }, (_, place) => triage(parcel + place)));
    for (const model of models) counts[model] = (counts[model] ?? 0) + 1;
  }
  console.log(`calls ${first} to ${first + 99}:`, counts);
}
