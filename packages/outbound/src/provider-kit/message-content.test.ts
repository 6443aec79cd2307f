import type { AssistantPart, Message } from '@patchbay/contracts/message';
import { describe, expect, it } from 'vitest';
import {
  ContentBuilder,
  contentText,
  ownReasoning,
  partsOf,
  responseMessage,
  textMessages,
  toolCallsOf,
  withOneCall,
} from './message-content.ts';

const call = (id: string) => ({ type: 'tool-call', id, name: 'f', arguments: {} }) as const;

describe('the content of messages', () => {
  it('a string is one part, and an empty one none', () => {
    expect(partsOf('Hi')).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(partsOf('')).toEqual([]);
  });

  it('the text of a content leaves out reasoning, refusals and calls', () => {
    const parts: AssistantPart[] = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      call('1'),
      { type: 'text', text: 'b' },
      { type: 'refusal', text: 'no' },
    ];
    expect(contentText(parts)).toBe('ab');
    expect(textMessages([{ role: 'assistant', content: parts }])).toEqual([{ role: 'assistant', content: 'abno' }]);
    expect(toolCallsOf(parts)).toEqual([{ id: '1', name: 'f', arguments: {} }]);
    expect(withOneCall([call('1'), call('2')], call('2'))).toEqual([call('2')]);
  });

  it('a response lists its parts only if there is more than text', () => {
    expect(responseMessage([{ type: 'text', text: 'a' }], 'p/m')).toEqual({ role: 'assistant', content: 'a' });
    expect(
      responseMessage(
        [
          { type: 'reasoning', text: 'r', signature: 's' },
          { type: 'text', text: 'a' },
        ],
        'p/m',
      ),
    ).toEqual({
      role: 'assistant',
      content: 'a',
      parts: [
        { type: 'reasoning', text: 'r', signature: 's', by: 'p/m' },
        { type: 'text', text: 'a' },
      ],
    });
  });

  it('reasoning of another provider, or of none, is taken out', () => {
    const own = { type: 'reasoning', text: 'own', by: 'p/m' } as const;
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [own, { type: 'reasoning', text: 'x', by: 'pp/m' }, { type: 'reasoning', text: 'y' }],
      },
    ];
    expect(ownReasoning(messages, 'p')).toEqual([messages[0], { role: 'assistant', content: [own] }]);
    const plain = [messages[0] as Message];
    expect(ownReasoning(plain, 'p')).toBe(plain);
  });

  it('deltas add up to parts in their order', () => {
    const built = new ContentBuilder();
    built.endReasoning({ encrypted: 'one' });
    built.endReasoning({ encrypted: 'two' });
    built.add('reasoning', 'th');
    built.add('reasoning', 'ink');
    built.endReasoning({ signature: 's' });
    built.add('text', '');
    built.add('text', 'a');
    built.add('text', 'b');
    built.call({ id: '1', name: 'f', arguments: {} });
    built.add('refusal', 'no');
    expect(built.content).toEqual([
      { type: 'reasoning', text: '', encrypted: 'one' },
      { type: 'reasoning', text: '', encrypted: 'two' },
      { type: 'reasoning', text: 'think', signature: 's' },
      { type: 'text', text: 'ab' },
      call('1'),
      { type: 'refusal', text: 'no' },
    ]);
  });

  it('the end of reasoning completes it, whatever it contains', () => {
    const built = new ContentBuilder();
    const extra = { acme: { mark: 1 } };
    built.take({ type: 'reasoning-end' });
    built.take({ type: 'reasoning', text: 'a' });
    built.take({ type: 'reasoning-end' });
    built.take({ type: 'reasoning', text: 'b' });
    built.take({ type: 'reasoning-end', extra });
    built.take({ type: 'reasoning-end', extra });
    built.take({ type: 'reasoning', text: 'c' });
    built.take({ type: 'tool-arguments', id: '1', name: 'f', text: '{}' });
    built.take({ type: 'tool-call', toolCall: { id: '1', name: 'f', arguments: {} } });
    built.take({ type: 'reasoning-end', signature: 's' });
    expect(built.content).toEqual([
      { type: 'reasoning', text: 'a' },
      { type: 'reasoning', text: 'b', extra },
      { type: 'reasoning', text: '', extra },
      { type: 'reasoning', text: 'c' },
      call('1'),
      { type: 'reasoning', text: '', signature: 's' },
    ]);
  });

  it('calls whose pieces alternate stay in the order in which they were announced, and one that is cut is left out', () => {
    const built = new ContentBuilder();
    const piece = (id: string) => ({ type: 'tool-arguments', id, name: 'f', text: '{' }) as const;
    const deltas = [piece('1'), piece('2'), piece('1'), piece('3')];
    for (const delta of deltas) built.take(delta);
    for (const id of ['2', '1', '4']) built.take({ type: 'tool-call', toolCall: { id, name: 'f', arguments: {} } });
    expect(built.content).toEqual([call('1'), call('2'), call('4')]);
  });

  it('deltas of nothing but text add up to a string', () => {
    const built = new ContentBuilder();
    expect(built.content).toBe('');
    built.add('text', 'a');
    expect(built.content).toBe('a');
  });
});
