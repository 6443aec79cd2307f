import type { Message } from '@patchbay/contracts/message';
import type { ChatDelta } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import type { Candidate, RankedModel } from '@patchbay/contracts/router';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';

const context = contextOf('a');
const question: Message = { role: 'user', content: 'What is 2 + 2?' };
const messages = [question];
const turns: readonly Message[] = [
  question,
  { role: 'assistant', content: '4' },
  { role: 'user', content: 'And 3 + 3?' },
];

/** Two models, of which the router prefers the one that the test says. */
async function setUp() {
  const state = { preferred: 'a/m', down: '', cut: '' };
  const seen: (readonly Candidate[])[] = [];
  const provider = (name: string) =>
    scriptedProvider([chatModel('m', { capabilities: ['chat', 'tools', 'embeddings'] })], {
      chat() {
        if (state.down === name) throw providerError('failed', 'down');
        return answer('{}');
      },
      async *stream(): AsyncGenerator<ChatDelta> {
        yield { type: 'text', text: 'It ' };
        if (state.cut === name) throw providerError('failed', 'cut');
        yield { type: 'text', text: 'is 4' };
        yield { type: 'finish', finishReason: 'stop', usage };
      },
      embedding: [1],
    });
  const providers = { a: provider('a'), b: provider('b') };
  const rank = (candidates: readonly Candidate[]): readonly RankedModel[] =>
    candidates
      .map(({ id }) => ({ id, score: id === state.preferred ? 1 : 0, reason: 'because' }))
      .toSorted((one, other) => other.score - one.score);
  const test = await createTestGateway(providers, {
    router: {
      async route(_, candidates) {
        seen.push(candidates);
        return rank(candidates);
      },
    },
  });
  const chat = async (more: object = {}) => await test.gateway.chat({ messages: turns, ...more }, context);
  /** A first turn with `a/m`, after which the router prefers `b/m`. */
  const begin = async () => {
    await test.gateway.chat({ messages }, context);
    state.preferred = 'b/m';
  };
  return { ...test, providers, state, seen, chat, begin };
}

describe('a conversation with an automatic choice', () => {
  it('stays on its model, and the route says so', async () => {
    const { chat, begin, seen } = await setUp();
    await begin();
    const { model, route, warnings } = await chat();
    expect([model, warnings]).toEqual(['a/m', []]);
    expect(route).toBe('auto;sticky;candidates=2;reason="Sticky: it responded before in this conversation. because"');
    expect(seen.at(-1)?.map(({ id, holdsPrompt }) => [id, holdsPrompt])).toEqual([
      ['a/m', true],
      ['b/m', false],
    ]);
  });

  it('stays on its model as a stream', async () => {
    const { gateway, begin } = await setUp();
    await begin();
    const { events, ...head } = await gateway.streamChat({ messages: turns }, context);
    expect(head).toMatchObject({ model: 'a/m', route: expect.stringContaining(';sticky;'), warnings: [] });
    const seen: object[] = [];
    for await (const event of events) seen.push(event);
    expect(seen.at(-1)).toMatchObject({ done: { model: 'a/m', warnings: [] } });
  });

  it('is explained with its model first', async () => {
    const { gateway, begin } = await setUp();
    await begin();
    const [first, second] = await gateway.explain({ messages: turns }, context);
    expect(first).toMatchObject({ id: 'a/m', reason: 'Sticky: it responded before in this conversation. because' });
    expect(second).toMatchObject({ id: 'b/m', reason: 'because' });
    const fresh = await gateway.explain({ messages }, context);
    expect(fresh.map(({ id }) => id)).toEqual(['b/m', 'a/m']);
    const [named] = await gateway.explain({ messages: turns, model: 'a/m' }, context);
    expect(named?.reason).toBe('because');
  });

  it('does not keep requests that do not continue it on its model', async () => {
    const { gateway, chat, begin } = await setUp();
    await begin();
    expect((await gateway.chat({ messages }, context)).model).toBe('b/m');
    expect((await chat({ routing: { optimize: 'cost' } })).model).toBe('b/m');
    expect((await gateway.chat({ messages: turns }, contextOf('b'))).model).toBe('b/m');
  });

  it('is not begun by a one-shot prompt', async () => {
    const { gateway, state, chat } = await setUp();
    const output = { type: 'object', properties: {} } as const;
    await gateway.generate({ prompt: 'What is 2 + 2?' }, context);
    await gateway.embed({ text: 'What is 2 + 2?' }, context);
    await gateway.generateObject({ messages, output }, context);
    await gateway.chat({ messages, model: 'a/m' }, context);
    state.preferred = 'b/m';
    expect(await chat()).toMatchObject({ model: 'b/m', route: 'auto;candidates=2;reason="because"' });
  });

  it('gives way to a named model and to what the caller does not allow', async () => {
    const { chat, begin } = await setUp();
    await begin();
    expect((await chat({ model: 'b/m' })).warnings).toEqual([]);
    const denied = await chat({ routing: { providers: { deny: ['a'] } } });
    expect([denied.model, denied.warnings]).toEqual(['b/m', ['the conversation moved from a/m to b/m']]);
  });

  it('moves once when its model fails, and stays on the next one', async () => {
    const { state, chat, begin, deployments } = await setUp();
    await begin();
    state.down = 'a';
    const moved = await chat();
    expect([moved.model, moved.warnings]).toEqual(['b/m', ['the conversation moved from a/m to b/m']]);
    expect(moved.route).toBe('auto;candidates=2;reason="because";failed="a/m provider_error"');
    state.down = '';
    state.preferred = 'a/m';
    const more: readonly Message[] = [...turns, { role: 'assistant', content: '6' }, question];
    expect(await chat({ messages: more })).toMatchObject({ model: 'b/m', warnings: [] });
    deployments.of('b/m').breaker.trip();
    const again = await chat({ messages: more });
    expect([again.model, again.warnings]).toEqual(['a/m', ['the conversation moved from b/m to a/m']]);
  });

  it('continues with the model that continued its stream', async () => {
    const { gateway, state, chat } = await setUp();
    state.cut = 'a';
    const { events, model } = await gateway.streamChat({ messages }, context);
    const seen: object[] = [];
    for await (const event of events) seen.push(event);
    expect(model).toBe('a/m');
    expect(seen.at(-1)).toMatchObject({ done: { message: { content: 'It is 4' } } });
    expect(await chat()).toMatchObject({ model: 'b/m', route: expect.stringContaining(';sticky;') });
  });

  it('names the reasoning that its new model does not receive', async () => {
    const { chat, begin, providers, deployments } = await setUp();
    await begin();
    deployments.of('a/m').breaker.trip();
    const reasoned: readonly Message[] = [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Easy.', signature: 'of a', by: 'a/m' },
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: '4' },
        ],
      },
      question,
    ];
    expect((await chat({ messages: reasoned })).warnings).toEqual([
      'the conversation moved from a/m to b/m',
      'the reasoning of a/m was not sent to b/m',
      'reasoning that does not say which model it is from is sent to no model',
    ]);
    expect(JSON.stringify(providers.b.requests)).not.toMatch(/of a|Easy|Hm/);
  });
});
