// A schema of zod is the output of a function: the model is held to it, and the answer is typed and transformed by it.
import keys from '@patchbay/auth-api-key';
import { APIError, createClient } from '@patchbay/client';
import { createApp } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import openai from '@patchbay/provider-openai';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { z } from 'zod';

// Stands in for the vendor, on 127.0.0.1. With a key of yours, leave `baseUrl` out.
const vendor = await startUpstream({ dialect: 'openai' });
const apiKey = 'k'.repeat(40);
const app = await createApp({
  patchbay: 1,
  providers: {
    openai: { use: openai, with: { apiKey: 'key-of-the-vendor', baseUrl: vendor.baseUrl, catalogue: true } },
  },
  authenticators: { keys: { use: keys, with: { bootstrapKey: apiKey } } },
});
// In one process, without a socket. Elsewhere: `baseUrl` of the server.
const handle = createFetchHandler(app);
const client = createClient({
  apiKey,
  baseUrl: 'http://localhost',
  fetch: async (...request) => handle(new Request(...request)),
});

const ai = client.AI({
  readInvoice: z.object({
    number: z.string().describe('Number of the invoice'),
    due: z.iso.date().transform((day) => new Date(`${day}T00:00:00Z`)),
    lines: z.array(z.object({ what: z.string(), cents: z.int().nonnegative() })).min(1),
  }),
});
const text = 'Invoice 2026-117, due 1 December 2026. Patch cable, 12 EUR. Shipping, 4.50 EUR.';

vendor.script(
  upstreamReplies.healthy({
    text: '{"number":"2026-117","due":"2026-12-01","lines":[{"what":"Patch cable","cents":1200},{"what":"Shipping","cents":450}]}',
  }),
);
const { number, due, lines } = await ai.readInvoice({ text });
console.log('typed      ', number, 'is due in', due.getUTCFullYear());
console.log('           ', lines.reduce((sum, { cents }) => sum + cents, 0) / 100, 'EUR');

// The model is held to the same schema, as JSON Schema; what does not fit never arrives.
vendor.script(upstreamReplies.healthy({ text: '{"number":"2026-117","due":"soon","lines":[]}' }));
try {
  await ai.readInvoice({ text }, { cache: 'reload' });
} catch (error) {
  if (!(error instanceof APIError)) throw error;
  console.log('refused    ', error.code, new Set(error.errors.map(({ pointer }) => pointer)));
}
await app.host.stop();
await vendor.stop();
