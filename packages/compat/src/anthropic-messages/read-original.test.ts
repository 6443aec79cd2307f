import { expect, it } from 'vitest';
import { TopLevel } from '../top-level.ts';
import { readOriginalCount, readOriginalMessages } from './read-original.ts';

it.each([readOriginalMessages, readOriginalCount])('no conversation is kept at Anthropic, by %o', (read) => {
  const thread = { type: 'continue', previous_message_id: 'msg_of_another_tenant' };
  const json = { model: 'anthropic/claude', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }], thread };
  const topLevel = new TopLevel(Buffer.from(JSON.stringify(json)));
  expect(() => read({ topLevel, json, header: () => undefined })).toThrow('no conversation is kept here');
});
