// Mounts the provider, asks its model, and shows what callers get when the vendor fails.

import keys from '@patchbay/auth-api-key';
import { createApp } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import acme from './acme.ts';
import { acmeDialect } from './acme-dialect.ts';

// Stands in for the vendor, on 127.0.0.1.
const vendor = await startUpstream({ dialect: acmeDialect });
const key = 'k'.repeat(40);
const app = await createApp({
  patchbay: 1,
  providers: { acme: { use: acme, with: { apiKey: 'key-of-acme', baseUrl: vendor.baseUrl } } },
  authenticators: { keys: { use: keys, with: { bootstrapKey: key } } },
});
const handle = createFetchHandler(app);

async function ask() {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'acme/large', messages: [{ role: 'user', content: 'Hello' }] });
  const response = await handle(new Request('http://localhost/chat', { method: 'POST', headers, body }));
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

vendor.script(upstreamReplies.healthy({ text: 'I am the model of Acme.' }));
const { message, promptTokens, completionTokens } = await ask();
console.log(
  'answers ',
  (message as { readonly content: string }).content,
  `(${String(promptTokens)} + ${String(completionTokens)} tokens)`,
);
vendor.script(upstreamReplies.refusal('context_length'));
console.log('refuses ', (await ask())['detail']);
vendor.script(upstreamReplies.truncatedJson());
console.log('breaks  ', (await ask())['detail']);
await app.host.stop();
await vendor.stop();
