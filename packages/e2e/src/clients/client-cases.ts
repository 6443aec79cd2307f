import { once } from 'node:events';
import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { VendorsInUse } from '../gateway/use-vendors.ts';
import type { ClientUnderTest, Connect, Fault, Tokens } from './client-under-test.ts';
import { answeringWith, askingForWeather } from './scripted-replies.ts';

const models = [
  { vendor: 'openai', model: 'openai/gpt-4.1', faulty: 'openai/gpt-4.1-mini' },
  { vendor: 'anthropic', model: 'anthropic/claude-opus-4-6', faulty: 'anthropic/claude-haiku-4-5' },
  { vendor: 'google', model: 'google/gemini-3.1-flash-lite', faulty: 'google/gemini-2.5-pro' },
] as const;
const [{ model: anyModel }] = models;

/** Models whose streams a model of another vendor continues, by the names for them. */
export const steadyModels = {
  'steady-openai': { model: 'openai/gpt-4o', fallbacks: ['anthropic/claude-sonnet-4-6'] },
  'steady-anthropic': { model: 'anthropic/claude-sonnet-4-6', fallbacks: ['google/gemini-3.6-flash'] },
  'steady-google': { model: 'google/gemini-3.6-flash', fallbacks: ['openai/gpt-4o'] },
};

const never = new AbortController().signal;
const embeddingModels = ['openai/text-embedding-3-small', 'google/gemini-embedding-2'];

/** The cases that all clients go through unchanged, as far as they have them, on models of every vendor. */
export function clientCases(vendors: VendorsInUse, connect: Connect): void {
  const connected = (apiKey: string = adminKey): ClientUnderTest =>
    connect({ url: vendors.server.running.url, apiKey });
  const faultIn = async (client: ClientUnderTest, work: Promise<unknown>): Promise<Fault | undefined> =>
    client.faultOf(
      await work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );

  describe.each(models)('$model', ({ vendor, model, faulty }) => {
    const upstream = vendors[vendor];

    it('answers a chat, with its tokens', async () => {
      expect(await connected().chat(model)).toEqual({
        text: 'Hello from the upstream.',
        tokens: { input: 12, output: 6 },
      });
      const asked = upstream.requests.at(-1)?.body;
      expect(asked).toContain('Be brief.');
      expect(asked).toContain('What is the weather in Bern?');
    });

    it('streams a chat in pieces, with its tokens', async () => {
      const { pieces, tokens } = await collected(connected().stream(model, never));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe('Hello from the upstream.');
      expect(tokens.input).toBe(12);
      // LangChain adds the token that Anthropic counts at the start of a stream to those that it counts at the end.
      expect([6, 7]).toContain(tokens.output);
    });

    it.each([false, true])(
      'calls two tools at once and goes on with their results; streamed: %s',
      async (isStreamed) => {
        upstream.script(askingForWeather());
        const asked: string[] = [];
        const weather = (city: string): string => {
          asked.push(city);
          return `${city === 'Bern' ? 21 : 18} degrees in ${city}`;
        };
        expect(await connected().useTool({ model, isStreamed, weather })).toBe('Bern is warmer.');
        expect(asked).toEqual(['Bern', 'Basel']);
      },
    );

    it('answers in the form that was asked for', async () => {
      upstream.script(answeringWith({ city: 'Bern', degrees: 21 }));
      expect(await connected().parse(model)).toEqual({ city: 'Bern', degrees: 21 });
      expect(upstream.requests.at(-1)?.body).toContain('"degrees"');
    });

    it('never ends a stream that was cut like a complete one', async () => {
      upstream.script(upstreamReplies.closeMidStream());
      await expect(collected(connected().stream(model, never))).rejects.toBeInstanceOf(Error);
    });

    it('reads a stream that another model continues as one response', async () => {
      const whole = await collected(connected().stream(`steady-${vendor}`, never));
      upstream.script(upstreamReplies.closeMidStream());
      const { pieces, tokens } = await collected(connected().stream(`steady-${vendor}`, never));
      expect(pieces.join('')).toBe(whole.pieces.join(''));
      // Of both models. LangChain takes the tokens that Anthropic counts at the start of a stream for all of the prompt.
      expect(tokens.input).toBeGreaterThanOrEqual(12);
      expect(tokens.output).toBeGreaterThan(7);
    });

    it('hears of it where the client aborts a stream', async () => {
      upstream.script(upstreamReplies.hangMidStream());
      const abort = new AbortController();
      const pieces = connected().stream(model, abort.signal);
      await pieces.next();
      const closed = upstream.requests.at(-1)?.closed ?? AbortSignal.abort();
      expect(closed.aborted).toBe(false);
      abort.abort();
      const rest = collected(pieces).catch(() => undefined);
      if (!closed.aborted) await once(closed, 'abort');
      await rest;
      expect(upstream.requests.at(-1)?.aborted).toBe(true);
    });

    it('fails as a bad request where the model cannot take it', async () => {
      upstream.script(upstreamReplies.refusal('context_length'));
      const client = connected();
      expect(await faultIn(client, client.chat(model))).toBe('badRequest');
    });

    it('fails as the server does where its vendor fails', async () => {
      upstream.script(upstreamReplies.status(500));
      const client = connected();
      expect(await faultIn(client, client.chat(faulty))).toBe('server');
    });
  });

  it('a wrong key fails as authentication', async () => {
    const client = connected('pbk_live_of_nobody');
    expect(await faultIn(client, client.chat(anyModel))).toBe('authentication');
  });

  it('an unknown model is not found', async () => {
    const client = connected();
    expect(await faultIn(client, client.chat('openai/gpt-0'))).toBe('notFound');
  });

  it('a key that asks too often is rate-limited', async () => {
    const rateLimit = { requests: 1, seconds: 3_600, burst: 1 };
    const key = { name: 'Slow', scopes: ['gateway:invoke'], rateLimit };
    const { body } = await vendors.server.ask('POST', '/keys', key);
    const client = connected(String(body['key']));
    await client.chat(anyModel);
    expect(await faultIn(client, client.chat(anyModel))).toBe('rateLimit');
  });

  const { embeddings = {}, listModels } = connect({ url: 'http://127.0.0.1', apiKey: 'none' });

  const ways = Object.keys(embeddings).flatMap((way) => embeddingModels.map((model) => ({ way, model })));
  it.each(ways)('vectors of $model are right $way', async ({ way, model }) => {
    const vectors = await connected().embeddings?.[way]?.(model, ['Bern', 'Basel']);
    const vector = expect.arrayContaining([-0.5, -0.375, -0.25]);
    expect(vectors).toEqual([vector, vector]);
    expect(vectors?.map(({ length }) => length)).toEqual(Array(2).fill(model.startsWith('openai') ? 1_536 : 3_072));
  });

  it.each(listModels ? [adminKey] : [])('the list has the models of every vendor', async (key) => {
    const ids: string[] = [];
    for await (const { id } of connected(key).listModels?.() ?? []) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(models.map(({ model }) => model)));
  });
}

async function collected(
  stream: AsyncGenerator<string, Tokens>,
): Promise<{ readonly pieces: readonly string[]; readonly tokens: Tokens }> {
  const pieces: string[] = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { pieces, tokens: value };
    pieces.push(value);
  }
}
