import { writeFile } from 'node:fs/promises';
import { canary } from '@patchbay/canaries';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { type ServerHere, startServerHere } from '../driver/server-here.ts';
import { adminKey, ask, temporaryData } from '../driver/server-process.ts';

/** A server that has something to tell with each of its metrics. */
export interface TroubledServer {
  readonly server: ServerHere;
  /** Ids of what is stored, and names that tenants have given. */
  readonly ids: readonly string[];
  /** Have it do some of everything, well and badly. */
  round(): Promise<void>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

const nothing = { type: 'object', properties: {} };
const messages = [{ role: 'user', content: 'Hello' }];

/** A server of tools whose only tool fails. */
const tools = `const listed = [{ name: 'search', input: { type: 'object' } }];
const create = () => ({ tools: async () => listed, call: async () => ({ text: 'no', isError: true }) });
export default { $$type: 'patchbay.plugin', definition: { name: 'tools', kind: 'toolServer', version: 1, config: { properties: {} }, create } };
`;

/** Models that answer, one that does not, a limiter that is away, functions that fail, and webhooks that are never accepted. */
export async function startTroubledServer(): Promise<TroubledServer> {
  const upstream = await startUpstream({ dialect: 'openai' });
  upstream.script(upstreamReplies.healthy({ text: '{}' }));
  const data = await temporaryData();
  const provider = (baseUrl: string) =>
    `{ use: "@patchbay/provider-openai", with: { apiKey: ${canary('key')}, baseUrl: "${baseUrl}", models: [{ name: twin, vendor: none, pricing: { input: 1, output: 4 } }] } }`;
  const config = `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
rateLimiter: { use: "@patchbay/limiter-redis", with: { url: "redis://127.0.0.1:1" } }
router: { use: "@patchbay/router-weighted" }
webhooks: { allow: ["127.0.0.0/8"], timeoutMs: 1000 }
providers: { main: ${provider(upstream.baseUrl)}, broken: ${provider('http://127.0.0.1:1')} }
tools: { docs: { use: ./tools.mjs } }
functions: { grants: [{ functions: [throws], tools: ["docs.*"] }] }
`;
  await writeFile(`${data.path}/tools.mjs`, tools);
  const server = await startServerHere(data.path, { config, env: { PATCHBAY_LIMITS_OFF: 'false' } });
  const make = async (name: string, code: string, more: object = {}) => {
    const sample = { name, description: 'd', input: nothing, output: nothing, code, ...more };
    return String((await ask(server, 'POST', '/functions', sample)).body['id']);
  };
  const works = await make('invoices-of-acme', 'export default () => ({})');
  const throws = await make('throws', 'export default (_, { tools }) => tools.docs.search()');
  const kept = await make('kept', '', { settings: { model: 'main/twin', cacheSeconds: 60 } });
  const webhook = { url: 'http://127.0.0.1:1/hook', events: ['*'] };
  const hook = String((await ask(server, 'POST', '/webhooks', webhook)).body['id']);
  const rateLimit = { requests: 1, seconds: 3_600, burst: 1 };
  const key = String(
    (await ask(server, 'POST', '/keys', { name: 'hasty', scopes: ['functions:read'], rateLimit })).body['key'],
  );
  const answer = (id: string, headers = {}) => ask(server, 'POST', `/functions/${id}/execute`, { input: {} }, headers);
  const chat = (model: string, more: object = {}) => ask(server, 'POST', '/chat', { model, messages, ...more });
  return {
    server,
    ids: [works, throws, kept, hook, 'invoices-of-acme'],
    async round() {
      await chat('main/twin');
      await chat('auto');
      await streamed(server, { model: 'main/twin', messages, stream: true });
      upstream.script(upstreamReplies.closeMidStream());
      await streamed(server, { model: 'main/twin', messages, stream: true });
      upstream.script(upstreamReplies.healthy({ text: '{}' }));
      await chat('broken/twin');
      await chat('broken/twin', { routing: { fallbacks: ['main/twin'] } });
      for (const id of [works, throws, kept, kept]) await answer(id);
      await answer(works, { prefer: 'respond-async' });
      await ask(server, 'GET', `/nowhere/${works}`);
      const authorization = `Bearer ${key}`;
      for (let count = 0; count < 3; count += 1) await ask(server, 'GET', '/functions', undefined, { authorization });
    },
    async metrics() {
      const headers = { authorization: `Bearer ${adminKey}` };
      return await (await fetch(`${server.url}/metrics`, { headers })).text();
    },
    async stop() {
      await server.end();
      await upstream.stop();
      await data.remove();
    },
  };
}

async function streamed({ url }: ServerHere, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/chat`, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.text();
}
