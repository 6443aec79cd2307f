import { beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { echo } from '../driver/sample-functions.ts';
import { useServer } from '../driver/use-server.ts';
import { gatewayRequests } from '../gateway/requests.ts';
import { longestAllowed, longestTurn, turnProbe } from './longest-turn.ts';
import { worstRequests } from './worst-requests.ts';

// No request may use more CPU time of the main thread than this in one turn of the event loop, whatever it sends: for
// that long everybody else waits. A garbage collection can fall into a turn, but not into the longest one of three attempts.

const server = useServer({ nodeArguments: turnProbe });

/** Each costs as much as ten others, and another one asks for nearly the same: only a run at full size sends them. */
const expensive = new Set([
  'POST /functions: 60,000 unknown fields',
  'POST /functions/test: two schemas at their limits and 60,000 members',
  'POST /functions/:id/execute: 90,000 members as output',
  'POST /functions/:id/execute: 60,000 keys through a function',
  'POST /functions/:id/execute: a full log',
  'POST /functions/:id/execute: 300,000 members to another function',
  'GET /executions/:id: 60,000 members in and out',
  'GET /functions/:id/versions: versions with 256 KiB of code and two schemas of 60 KiB',
  'GET /functions/:id/settings/versions: versions with examples of 60,000 members',
  'POST /v1/chat/completions: an image of 30 MiB',
  'POST /v1/embeddings: 2,048 texts of 15,000 characters',
]);
const sent = worstRequests.filter(({ title }) => isFullSize || !expensive.has(title));

const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, body);

describe('the longest turn of the event loop', () => {
  // The first requests load and compile code: this is not the cost of a request.
  beforeAll(async () => {
    const { body } = await ask('POST', '/functions', echo);
    await ask('POST', `/functions/${String(body['id'])}/execute`, { input: { a: 1 } });
    await ask('POST', '/call/unheard', { input: { a: 1 } });
    for (const request of gatewayRequests.filter(({ streams }) => !streams))
      await ask('POST', request.path, request.body);
  });

  it.each(sent)('$title', async ({ title, prepare }) => {
    let longest = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= 3 && longest >= longestAllowed; attempt += 1) {
      const send = await prepare(ask);
      await longestTurn(server.process);
      const answered = await send();
      longest = await longestTurn(server.process);
      if (process.env['SHOW_TURNS'])
        console.log(`TURN ${longest} | ${title} | ${JSON.stringify(answered).slice(0, 160)}`);
    }
    expect(longest).toBeLessThan(longestAllowed);
  });
});
