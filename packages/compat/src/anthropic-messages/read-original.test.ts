import { expect, it } from 'vitest';
import { TopLevel } from '../top-level.ts';
import { readOriginalCount, readOriginalMessages } from './read-original.ts';

it.each([readOriginalMessages, readOriginalCount])('no conversation is kept at Anthropic, by %o', (read) => {
  const thread = { type: 'continue', previous_message_id: 'msg_of_another_tenant' };
  const json = { model: 'anthropic/claude', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }], thread };
  const topLevel = new TopLevel(Buffer.from(JSON.stringify(json)));
  expect(() => read({ topLevel, json, header: () => undefined })).toThrow('no conversation is kept here');
});

it.each([
  [{ type: 'text', media_type: 'text/plain', data: 'word '.repeat(80) }, [], 100],
  [{ type: 'content', content: [{ type: 'text', text: 'word '.repeat(80) }] }, [], 100],
  [{ type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, ['files'], 1_000],
])('a document with the source %o needs models with %o', (source, needed, least) => {
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
  const json = { model: 'acme/large', max_tokens: 10, messages };
  const topLevel = new TopLevel(Buffer.from(JSON.stringify(json)));
  const { original } = readOriginalMessages({ topLevel, json, header: () => undefined });
  expect(original.capabilities.filter((each) => each !== 'chat')).toEqual(needed);
  expect(original.inputTokens).toBeGreaterThanOrEqual(least);
});

it.each([readOriginalMessages, readOriginalCount])('content and system can be a string or a list, says %o', (read) => {
  const message = { role: 'user', content: 'Hello' };
  const readWith = (members: object) => () => {
    const json = { model: 'anthropic/claude', max_tokens: 10, messages: [message], ...members };
    return read({ topLevel: new TopLevel(Buffer.from(JSON.stringify(json))), json, header: () => undefined });
  };
  for (const value of ['Be brief.', [{ type: 'text', text: 'Be brief.' }]]) {
    expect(readWith({ system: value, messages: [{ ...message, content: value }] })).not.toThrow();
  }
  expect(readWith({ system: 5 })).toThrow(refusalAt('/system'));
  expect(readWith({ messages: [{ ...message, content: 5 }] })).toThrow(refusalAt('/messages/0/content'));
});

const refusalAt = (pointer: string) =>
  expect.objectContaining({ errors: [{ pointer, code: 'invalid_type', detail: 'must be a string or a list' }] });
