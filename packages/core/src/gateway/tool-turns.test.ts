import type { Message } from '@patchbay/contracts/message';
import { describe, expect, it } from 'vitest';
import { toolChoiceFault, toolTurnFaults } from './tool-turns.ts';

const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'find', arguments: {} })),
});
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, content: 'found' });
const question: Message = { role: 'user', content: 'Where?' };
const note: Message = { role: 'system', content: 'Be brief.' };

describe('a conversation with tools', () => {
  it.each<[string, readonly Message[], readonly string[]]>([
    ['results in another order', [question, calls('a', 'b'), result('b'), result('a'), question], []],
    ['the same id in two turns', [calls('a'), result('a'), calls('a'), result('a')], []],
    ['a system message between', [calls('a'), note, result('a')], []],
    ['a result without a call', [question, result('a')], ['/messages/1/toolCallId']],
    ['a result for the second time', [calls('a'), result('a'), result('a')], ['/messages/2/toolCallId']],
    ['a call without a result', [question, calls('a', 'b'), result('a'), question], ['/messages/1']],
    ['a result that comes late', [calls('a'), question, result('a')], ['/messages/0', '/messages/2/toolCallId']],
    ['a call at the end', [question, calls('a')], ['/messages/1']],
  ])('with %s has its faults where they are', (_, messages, pointers) => {
    expect([...toolTurnFaults(messages)].map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('the choice of a tool', () => {
  const tools = [{ name: 'find', parameters: {} }];

  it.each([
    ['auto', undefined, undefined],
    ['none', undefined, undefined],
    ['required', undefined, '/toolChoice'],
    [{ name: 'find' }, [], '/toolChoice'],
    ['required', tools, undefined],
    [{ name: 'find' }, tools, undefined],
    [{ name: 'lose' }, tools, '/toolChoice/name'],
  ] as const)('%j with the tools %j has its fault at %s', (choice, given, pointer) => {
    expect(toolChoiceFault(choice, given)?.pointer).toBe(pointer);
  });
});
