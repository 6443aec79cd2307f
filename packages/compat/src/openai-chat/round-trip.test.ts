import { describe, expect, it } from 'vitest';
import { canonical } from './fixtures/canonical.ts';
import { someRequest } from './fixtures/conversations.ts';
import { openAiBody } from './fixtures/openai-body.ts';
import { parseChatRequest } from './parse-request.ts';

const CONVERSATIONS = 1_000;

describe('a conversation', () => {
  it('comes back from the body of OpenAI that says the same', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < CONVERSATIONS; seed += 1) {
      const input = someRequest(seed);
      // As it comes over the wire.
      const body: unknown = JSON.parse(JSON.stringify(openAiBody(input)));
      expect(parseChatRequest(body).input, `seed ${seed}`).toEqual(canonical(input));
      for (const { role, content } of input.messages) {
        const parts = typeof content === 'string' ? [] : content;
        for (const { type } of parts) seen.add(`${role} ${type}`);
      }
    }
    // Otherwise the generator would have missed what this is about.
    expect([...seen].sort()).toEqual([
      'assistant reasoning',
      'assistant refusal',
      'assistant text',
      'assistant tool-call',
      'system text',
      'tool file',
      'tool image',
      'tool text',
      'user audio',
      'user file',
      'user image',
      'user text',
    ]);
  });
});
