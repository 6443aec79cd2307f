import { canary } from '@patchbay/canaries';
import { startUpstream, type Upstream, type UpstreamAnswer, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import {
  type Answer,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';
import { longestAllowed, longestTurn, turnProbe } from './longest-turn.ts';

// The same bound as for requests, for what comes back: a provider can send more than any caller.

let upstream: Upstream;
let data: TemporaryData;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
  data = await temporaryData();
  const config = `patchbay: 1
secretFile: ./secret
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
providers:
  main:
    use: "@patchbay/provider-openai"
    with: { apiKey: ${canary('key')}, baseUrl: "${upstream.baseUrl}", models: [{ name: twin, vendor: none, capabilities: [chat, tools] }] }
`;
  server = await startServerProcess(data.path, { config, nodeArguments: turnProbe });
  upstream.script(upstreamReplies.healthy());
  await post('/chat', { messages });
});

afterAll(async () => {
  await server.end('SIGTERM');
  await upstream.stop();
  await data.remove();
});

const messages = [{ role: 'user', content: 'Hello' }];
const post = (path: string, body: object): Promise<Answer> =>
  ask(server, 'POST', path, { model: 'main/twin', ...body });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const any = { name: 'any', description: 'Any', parameters: { type: 'object' } };

const worst: readonly (readonly [string, UpstreamAnswer, () => Promise<Answer>])[] = [
  ['a completion of 4 MiB', { text: 'word '.repeat(800_000) }, () => post('/chat', { messages })],
  ['a completion of escapes', { text: '\u0001"\\\n'.repeat(200_000) }, () => post('/chat', { messages })],
  [
    'a call with 19,000 arguments',
    { toolCalls: [{ name: 'any', arguments: keys(19_000) }] },
    () => post('/function-calling', { messages, functions: [any] }),
  ],
  [
    'a call with 300,000 arguments',
    { toolCalls: [{ name: 'any', arguments: keys(300_000) }] },
    () => post('/function-calling', { messages, functions: [any] }),
  ],
  [
    'an output of 60,000 members',
    { text: JSON.stringify(keys(60_000)) },
    () => post('/call/unheard', { input: { a: 1 }, output: { type: 'object' } }),
  ],
  [
    'an output of 60,000 members that is cut',
    { text: JSON.stringify(keys(60_000)).slice(0, -1) },
    () => post('/call/unheard', { input: { a: 1 }, output: { type: 'object' } }),
  ],
  [
    'an output with faults that could be repaired',
    { text: `${JSON.stringify(keys(60_000)).replaceAll('"', "'").slice(0, -1)},}` },
    () => post('/call/unheard', { input: { a: 1 }, output: { type: 'object' } }),
  ],
];

/** Those that cost most, beside one that is read the same way, at full size only. */
const expensive = new Set(['a call with 300,000 arguments', 'an output of 60,000 members that is cut']);

describe('the longest turn of the event loop for a response of a provider', () => {
  it.each(worst.filter(([title]) => isFullSize || !expensive.has(title)))('with %s', async (title, answer, send) => {
    upstream.script(upstreamReplies.healthy(answer));
    await longestTurn(server);
    const answered = await send();
    const longest = await longestTurn(server);
    if (process.env['SHOW_TURNS'])
      console.log(`TURN ${longest} | ${title} | ${JSON.stringify(answered).slice(0, 160)}`);
    expect(longest).toBeLessThan(longestAllowed);
  });
});
