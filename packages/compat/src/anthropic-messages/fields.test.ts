import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { Fields } from './fields.ts';

const block = () =>
  new Fields<Anthropic.ToolUseBlockParam>(
    { type: 'tool_use', id: 'a', name: null, input: {}, new_member: 1 },
    'content.0',
  );

describe('Fields', () => {
  it('reads only members that the type of the SDK has', () => {
    expect(block().text('id')).toBe('a');
    // @ts-expect-error: the member is called `id`.
    expect(block().get('tool_use_id')).toBeUndefined();
  });

  it('takes null for a member that was left out', () => {
    expect(block().optionalText('name')).toBeUndefined();
    expect(() => block().text('name')).toThrow('content.0.name: Field required');
  });

  it('keeps what was not read, and what belongs to it all the same', () => {
    const fields = block();
    for (const name of ['type', 'id', 'input'] as const) fields.get(name);
    expect(fields.rest()).toEqual({ new_member: 1 });
    expect(fields.rest('input')).toEqual({ input: {}, new_member: 1 });
  });

  it('does not read what an object inherits', () => {
    const fields = new Fields<{ readonly toString: string; readonly constructor: string }>({}, '');
    expect([fields.get('toString'), fields.get('constructor')]).toEqual([undefined, undefined]);
  });

  it.each([[null], [[]], ['text'], [7]])('refuses %j as an object', (value) => {
    expect(() => new Fields(value, 'messages.0')).toThrow('messages.0: Input should be a valid dictionary');
  });
});
