import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { Field } from './field.ts';

const block = () =>
  new Field<Anthropic.ToolUseBlockParam>({ type: 'tool_use', id: 'a', name: null, input: {}, new_member: 1 });

describe('Field', () => {
  it('reads only members that the type of the SDK has', () => {
    expect(block().member('id').text()).toBe('a');
    // @ts-expect-error: the member is called `id`.
    expect(block().member('tool_use_id').isGiven).toBe(false);
    const part = new Field<OpenAI.ChatCompletionContentPart>({ type: 'text', text: 'Hi' });
    // Of any of several shapes.
    expect(part.member('text').text()).toBe('Hi');
    expect(part.member('image_url').maybe((image) => image.member('url').text())).toBeUndefined();
    // @ts-expect-error: none of them has it.
    expect(part.member('video').isGiven).toBe(false);
  });

  it('takes null for a member that was left out', () => {
    expect(
      block()
        .member('name')
        .maybe((field) => field.text()),
    ).toBeUndefined();
    expect(() => block().member('name').text()).toThrow('name is required, and must be a string');
  });

  it('keeps what was not read, and what belongs to it all the same', () => {
    const field = block();
    for (const name of ['type', 'id', 'input'] as const) field.member(name);
    expect(field.rest('input')).toEqual({ input: {}, new_member: 1 });
    expect(field.rest()).toBeUndefined();
  });

  it('does not read what an object inherits, and keeps members of any name', () => {
    const field = new Field<{ readonly toString?: string; readonly constructor?: string }>({});
    expect([field.member('toString').isGiven, field.member('constructor').isGiven]).toEqual([false, false]);
    const odd = JSON.parse('{"__proto__": {"a": 1}}') as unknown;
    expect(JSON.stringify(new Field(odd).rest())).toBe('{"__proto__":{"a":1}}');
  });

  it('names what nothing has read, on every level beside something that was', () => {
    const body = new Field({ a: { read: 1, b: 2 }, list: [{ read: 1, c: 3 }], all: { d: 4 }, e: 5, none: null });
    body.member('a').as<{ read: number }>().member('read');
    for (const item of body.member('list').list()) item.as<{ read: number }>().member('read');
    body.member('all').as<{ d: number }>().json();
    expect([...body.unread()]).toEqual(['a.b', 'list[].c', 'e']);
  });

  it.each([
    ['an object', (field: Field) => field.member('a'), [null, [], 'text', 7]],
    ['a list', (field: Field) => field.list(), [null, {}, 'text', 7]],
    ['a string', (field: Field) => field.text(), [null, {}, [], 7]],
    ['a boolean', (field: Field) => field.flag(), [null, 'true', 1]],
    ['a number', (field: Field) => field.number(), [null, '1', Number.NaN, Number.POSITIVE_INFINITY]],
    ['an integer', (field: Field) => field.integer(), [1.5, 2 ** 53]],
    ['a string or a list', (field: Field) => field.textOrList(), [null, {}, 7]],
  ])('refuses what is not %s, with its place', (kind, read, values) => {
    for (const value of values) {
      const fault = expect.objectContaining({ pointer: '/a~1b/0', detail: expect.stringContaining(`must be ${kind}`) });
      const field = new Field<readonly unknown[]>([value], '/a~1b').list()[0] as Field;
      expect(() => read(field)).toThrow(expect.objectContaining({ code: 'invalid_request', errors: [fault] }));
    }
  });
});
