import type Anthropic from '@anthropic-ai/sdk';
import type { JsonValue } from '@patchbay/core/plugin';
import { PatchbayError } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { canonical } from './fixtures/canonical.ts';
import { createRandom, type Random } from './fixtures/random.ts';
import { randomRequest } from './fixtures/random-request.ts';
import { writeRequest } from './fixtures/write-request.ts';
import { mapError } from './map-error.ts';
import { type MessagesRequest, parseMessagesRequest } from './parse-request.ts';

const RUNS = 1_000;

describe('requests', () => {
  it(`come back from the API of Anthropic as they were, in ${RUNS} conversations`, () => {
    for (let seed = 0; seed < RUNS; seed += 1) {
      const input = randomRequest(createRandom(seed));
      const body = overTheWire(writeRequest(input));
      const parsed = parseMessagesRequest(body);
      expect(comparable(parsed.input), `seed ${seed}`).toEqual(comparable(input));
      expect(parsed.choice).toEqual({ model: input.model, ...(input.routing && { routing: input.routing }) });
    }
  });

  it(`that are wrong in any place are 400 in the words of Anthropic, in ${RUNS} bodies`, () => {
    let refused = 0;
    for (let seed = 0; seed < RUNS; seed += 1) {
      const random = createRandom(seed);
      const body = overTheWire(writeRequest(randomRequest(random)));
      const mutated = random.some(1, 3, () => undefined).reduce<JsonValue>((value) => mutate(value, random), body);
      const refusal = refusalOf(mutated);
      if (refusal !== undefined) refused += 1;
      expect(refusal ?? '400 invalid_request_error', `seed ${seed}`).toBe('400 invalid_request_error');
    }
    expect(refused).toBeGreaterThan(RUNS / 4);
    expect(refused).toBeLessThan(RUNS);
  });
});

/** The status and the type of the error that a body is refused with. */
function refusalOf(body: JsonValue): string | undefined {
  try {
    parseMessagesRequest(body);
    return undefined;
  } catch (error) {
    if (!PatchbayError.is(error) || error.code !== 'invalid_request') return String(error);
    const { status, body: told } = mapError(error, 'request_1');
    return `${status} ${told.error.type}`;
  }
}

const overTheWire = (body: Anthropic.MessageCreateParams): JsonValue => JSON.parse(JSON.stringify(body)) as JsonValue;

function comparable({ messages, ...input }: MessagesRequest['input']): unknown {
  return JSON.parse(JSON.stringify({ ...input, messages: canonical(messages) }));
}

const junk: readonly JsonValue[] = [
  null,
  true,
  -1,
  0,
  1e300,
  '',
  'text',
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { type: 'text' },
  [null],
];

/** The value with one change somewhere. */
function mutate(value: JsonValue, random: Random): JsonValue {
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || random.once(12)) return random.pick(junk);
  const entries = Object.entries(value) as [string, JsonValue][];
  if (entries.length === 0 || random.once(10)) {
    entries.push([random.pick(['extra', '__proto__', 'type', 'cache_control', 'a/b~c.d']), random.pick(junk)]);
  } else {
    // Most of a body is in its nested members.
    const nested = entries.flatMap(([, member], index) =>
      typeof member === 'object' && member !== null ? [index] : [],
    );
    const index = nested.length > 0 && !random.once(4) ? random.pick(nested) : random.below(entries.length);
    const [name, member] = entries[index] as [string, JsonValue];
    const kind = random.below(12);
    if (kind === 0) entries.splice(index, 1);
    else if (kind === 1) entries.push([`${name}s`, member]);
    else entries[index] = [name, mutate(member, random)];
  }
  return isList ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
