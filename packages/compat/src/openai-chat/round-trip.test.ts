import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commonFeatures, featuresOf } from '../fixtures/features-of.ts';
import { canonical } from './fixtures/canonical.ts';
import { someRequest } from './fixtures/conversations.ts';
import { openAiBody } from './fixtures/openai-body.ts';
import { parseChatRequest } from './parse-request.ts';

const CONVERSATIONS = 1_000;

describe('a conversation', () => {
  it('comes back from the body of OpenAI that says the same', () => {
    const seen = new Set<string>();
    const lost: unknown[] = [];
    for (let seed = 0; seed < CONVERSATIONS; seed += 1) {
      const input = someRequest(seed);
      // As it comes over the wire.
      const body: unknown = JSON.parse(JSON.stringify(openAiBody(input)));
      const [parsed, wanted] = [parseChatRequest(body).input, canonical(input)];
      if (!isDeepStrictEqual(parsed, wanted)) lost.push({ seed, parsed, wanted });
      for (const feature of featuresOf(input)) seen.add(feature);
    }
    expect(lost.slice(0, 1)).toEqual([]);
    // Otherwise the generator would have missed what this is about.
    expect([...seen].sort()).toEqual([...commonFeatures, 'user audio'].sort());
  });
});
