import openai from '@patchbay/provider-openai';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { expect, it } from 'vitest';
import { responses, startForwardingApp, vendorKey } from './forwarding-app.ts';

const { altered, healthy, status } = upstreamReplies;

it('a conversation that OpenAI stores goes to the provider that has it, also by an automatic choice', async () => {
  const start = () => startUpstream({ dialect: 'openai-responses' });
  const upstreams: Readonly<Record<string, Upstream>> = {
    one: await start(),
    two: await start(),
    three: await start(),
  };
  const model = { name: 'large', vendor: 'openai', capabilities: ['chat'], pricing: { input: 1, output: 10 } } as const;
  const providers = Object.fromEntries(
    Object.entries(upstreams).map(([name, { baseUrl }]) => [
      name,
      { use: openai, with: { apiKey: vendorKey, baseUrl, models: [model] } },
    ]),
  );
  const app = await startForwardingApp({ providers });
  const ask = async (body: object, name: string) => {
    const response = await app.send(responses, { model: name, ...body });
    return { status: response.status, json: (await response.json()) as { id: string; error?: { code: string } } };
  };
  for (const [name, upstream] of Object.entries(upstreams)) {
    upstream.script(
      altered((response) => ({ ...(response as object), id: `resp_${name}` })),
      healthy(),
    );
  }
  const first = await ask({ input: 'Hello' }, 'two/large');
  expect(first).toMatchObject({ status: 200, json: { id: 'resp_two' } });
  const next = { input: 'And then?', previous_response_id: 'resp_two' };
  for (let turn = 0; turn < 5; turn += 1) expect((await ask(next, 'auto')).status).toBe(200);
  expect(Object.values(upstreams).map(({ requests }) => requests.length)).toEqual([0, 6, 0]);
  expect(await ask(next, 'one/large')).toMatchObject({ status: 404 });
  upstreams['two']?.script(status(503));
  expect((await ask(next, 'auto')).status).toBe(502);
  expect(upstreams['one']?.requests).toEqual([]);
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});
