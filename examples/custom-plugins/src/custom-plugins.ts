// A function in a thread, a commit as a line of JSON, a model of the house before all others.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp, loadConfig } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import { startUpstream, upstreamReplies } from '@patchbay/testing';

const data = await mkdtemp(join(tmpdir(), 'patchbay-custom-plugins-'));
// Stands in for the vendor, on 127.0.0.1.
const vendor = await startUpstream({ dialect: 'openai' });
vendor.script(upstreamReplies.healthy({ text: 'I am the model of the house.' }));
const key = 'k'.repeat(40);
const env = { DATA: data, KEY: key, HOUSE_KEY: 'key-of-the-house', HOUSE_URL: vendor.baseUrl };
const file = fileURLToPath(new URL('../patchbay.config.yaml', import.meta.url));

async function start() {
  const { app: config, directory } = await loadConfig({ file, env, bases: [import.meta.url] });
  const app = await createApp(config, { directory });
  const handle = createFetchHandler(app);
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await (await handle(request)).json()) as Readonly<Record<string, unknown>>;
  };
  return { app, ask };
}

const first = await start();
const { id } = await first.ask('POST', '/functions', {
  name: 'Add',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  code: 'export default ({ a, b }) => ({ sum: a + b })',
});
const execution = await first.ask('POST', `/functions/${String(id)}/execute`, { input: { a: 2, b: 3 } });
console.log('executor', execution['output']);
const answer = await first.ask('POST', '/chat', { messages: [{ role: 'user', content: 'Who are you?' }] });
console.log('router  ', answer['model']);
console.log('provider', (answer['message'] as { content?: string } | undefined)?.content ?? answer);
await first.app.host.stop();

const second = await start();
const listed = (await second.ask('GET', '/functions'))['data'] as readonly { readonly name: string }[];
console.log(
  'storage ',
  listed.map(({ name }) => name),
);
const lines = (await readFile(join(data, 'commits.jsonl'), 'utf8')).trim().split('\n').length;
console.log('          after a restart, from', lines > 3 ? 'lines of JSON' : 'nothing');
await second.app.host.stop();
await vendor.stop();
await rm(data, { recursive: true });
