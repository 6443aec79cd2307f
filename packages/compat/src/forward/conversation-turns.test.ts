import { expect, it } from 'vitest';
import { turnsOf } from './conversation-turns.ts';

it('turns of chat completions have their texts and the ids of tool calls', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image_url', image_url: { url: 'data:' } },
      ],
    },
    { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'found' },
  ];
  expect(turnsOf(messages)).toEqual([
    { isAnswer: false, texts: ['Be brief.'] },
    { isAnswer: false, texts: ['Hello'] },
    { isAnswer: true, texts: ['call_1'] },
    { isAnswer: false, texts: ['found', 'call_1'] },
  ]);
});

it('turns of messages have no thinking, and are the same wherever the marks of the cache are', () => {
  const cached = { cache_control: { type: 'ephemeral' } };
  const turns = (mark: object, thought: readonly object[]) =>
    turnsOf(
      [
        { role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }] },
        { role: 'assistant', content: [...thought, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }] },
      ],
      [{ type: 'text', text: 'Be brief.' }],
    );
  expect(turns({}, [])).toEqual([
    { isAnswer: false, texts: ['Be brief.'] },
    { isAnswer: false, texts: ['Hello'] },
    { isAnswer: true, texts: ['toolu_1'] },
    { isAnswer: false, texts: ['found', 'toolu_1'] },
  ]);
  expect(turns(cached, [{ type: 'thinking', thinking: 'hm', signature: 'abc' }])).toEqual(turns({}, []));
});
