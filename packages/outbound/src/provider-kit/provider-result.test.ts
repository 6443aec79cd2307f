import type { ChatRequest } from '@patchbay/contracts/provider';
import { expect, it } from 'vitest';
import { completeChat } from './provider-result.ts';
import { createUpstreamClient } from './upstream-client.ts';

const upstream = createUpstreamClient({ name: 'acme', fetch, secrets: [], readError: () => ({ kind: 'failed' }) });
const question = { role: 'user', content: 'Hi' } as const;
const silence = (messages: ChatRequest['messages'], finishReason: 'stop' | 'length' = 'stop') =>
  completeChat({ content: '', finishReason, usage: undefined }, { model: 'm', messages }, [], upstream);

it('an empty completion is a failure, unless its tokens were used up or it continues an assistant message', () => {
  expect(() => silence([question])).toThrow('says nothing');
  expect(silence([question], 'length').content).toBe('');
  expect(silence([question, { role: 'assistant', content: 'Hello.' }]).content).toBe('');
});
