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

it('turns of responses are items, of which those of the model follow each other', () => {
  const input = [
    { role: 'user', content: 'Hello' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
    { type: 'item_reference', id: 'fc_2' },
    { type: 'function_call_output', call_id: 'call_1', output: 'found' },
  ];
  const turns = turnsOf(input, 'Be brief.');
  expect(turns.map(({ isAnswer }) => isAnswer)).toEqual([false, false, true, true, true, true, false]);
  expect(turns.map(({ texts }) => texts)).toEqual([
    ['Be brief.'],
    ['Hello'],
    [],
    ['Hi'],
    ['call_1'],
    ['fc_2'],
    ['call_1', 'found'],
  ]);
  expect(turnsOf('Hello')).toEqual([{ isAnswer: false, texts: ['Hello'] }]);
});
