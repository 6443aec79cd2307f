import type { ChatDelta, ChatRequest, Provider } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';
import type { GatewayListener } from './gateway-listener.ts';

const down = providerError('failed', 'down');
const text = (each: string): ChatDelta => ({ type: 'text', text: each });
const finish: ChatDelta = { type: 'finish', finishReason: 'stop', usage };

async function setUp(providers: Readonly<Record<string, Provider>>) {
  const ends: Parameters<GatewayListener['ended']>[1][] = [];
  const listener: GatewayListener = {
    answered() {},
    interrupted() {},
    unanswered() {},
    collects: () => false,
    completed() {},
    failed() {},
    ended: (_context, end) => void ends.push(end),
  };
  const { gateway } = await createTestGateway(providers, { listener });
  return { gateway, ends };
}

const chatting = (...answers: (string | Error)[]) =>
  scriptedProvider([chatModel('m')], {
    chat() {
      const next = answers.shift() ?? down;
      if (next instanceof Error) throw next;
      return answer(next);
    },
  });

const streaming = (script: (request: ChatRequest, signal: AbortSignal) => AsyncGenerator<ChatDelta>) =>
  scriptedProvider([chatModel('m')], { stream: script });

const context = contextOf('a');
const input = { messages: [{ role: 'user', content: 'count' }] } as const;
const output = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] } as const;
const attempts = [{ model: 'a/m', code: 'provider_error' }];

describe('the end of a call', () => {
  it('is that of the model that responded, after those that failed', async () => {
    const { gateway, ends } = await setUp({ a: chatting(down), b: chatting('ok') });
    const { id } = await gateway.chat(input, context);
    expect(ends).toMatchObject([
      { id, model: 'b/m', outcome: 'completed', failed: attempts, tokens: { promptTokens: 3, completionTokens: 3 } },
    ]);
  });

  it('is a failure of the last model if none responds', async () => {
    const { gateway, ends } = await setUp({ a: chatting(), b: chatting() });
    await expect(gateway.generate({ prompt: 'count' }, context)).rejects.toThrow('down');
    const failed = [...attempts, { model: 'b/m', code: 'provider_error' }];
    const id = expect.stringMatching(/^generation_/);
    expect(ends).toMatchObject([{ id, model: 'b/m', outcome: 'failed', failed }]);
  });

  it('tells objects that fit at once from those that were repaired', async () => {
    const { gateway, ends } = await setUp({ a: chatting('{"count":1}', '{"count":"1"}', '{"count":1}') });
    await gateway.generateObject({ ...input, output }, context);
    await gateway.generateObject({ ...input, output }, context);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['completed', 'repaired']);
  });

  it('comes once for a stream that is read, that fails, or that its caller leaves', async () => {
    const broken = streaming(async function* ({ messages }) {
      yield text('one');
      if (messages.length > 1) throw down;
      yield finish;
    });
    const { gateway, ends } = await setUp({ a: broken });
    const read = async (messages: readonly { readonly role: 'user'; readonly content: string }[], isLeft = false) => {
      const { events } = await gateway.streamChat({ messages, routing: { onInterrupt: 'error' } }, context);
      for await (const event of events) if (isLeft && event) return;
    };
    await read(input.messages);
    await expect(read([...input.messages, ...input.messages])).rejects.toThrow('down');
    await read(input.messages, true);
    expect(ends.map(({ outcome, model }) => [outcome, model])).toEqual([
      ['completed', 'a/m'],
      ['failed', 'a/m'],
      ['cancelled', 'a/m'],
    ]);
  });

  it('is a cancellation if the client leaves while a model writes', async () => {
    const client = new AbortController();
    const gone = new Error('gone');
    const waiting = scriptedProvider([chatModel('m')], {
      chat: async () => {
        client.abort(gone);
        return await new Promise(() => undefined);
      },
    });
    const { gateway, ends } = await setUp({ a: waiting });
    await expect(gateway.chat(input, { ...context, signal: client.signal })).rejects.toBe(gone);
    expect(ends).toMatchObject([{ outcome: 'cancelled', failed: [] }]);
  });
});
