import { isDeepStrictEqual } from 'node:util';
import type Anthropic from '@anthropic-ai/sdk';
import type { JsonValue } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { commonFeatures, featuresOf } from '../fixtures/features-of.ts';
import { createRandom } from '../fixtures/random.ts';
import { canonical } from './fixtures/canonical.ts';
import { randomRequest } from './fixtures/random-request.ts';
import { writeRequest } from './fixtures/write-request.ts';
import { type MessagesRequest, parseMessagesRequest } from './parse-request.ts';

const RUNS = 1_000;

describe('requests', () => {
  it(`come back from the API of Anthropic as they were, in ${RUNS} conversations`, () => {
    const seen = new Set<string>();
    const lost: unknown[] = [];
    for (let seed = 0; seed < RUNS; seed += 1) {
      const input = randomRequest(createRandom(seed));
      const body = overTheWire(writeRequest(input));
      const [parsed, wanted] = [comparable(parseMessagesRequest(body).input), comparable(input)];
      if (!isDeepStrictEqual(parsed, wanted)) lost.push({ seed, parsed, wanted });
      for (const feature of featuresOf(input)) seen.add(feature);
    }
    expect(lost.slice(0, 1)).toEqual([]);
    // Otherwise the generator would have missed what this is about.
    expect([...seen].sort()).toEqual([...commonFeatures].sort());
  });
});

const overTheWire = (body: Anthropic.MessageCreateParams): JsonValue => JSON.parse(JSON.stringify(body)) as JsonValue;

function comparable({ messages, ...input }: MessagesRequest['input']): unknown {
  return JSON.parse(JSON.stringify({ ...input, messages: canonical(messages) }));
}
