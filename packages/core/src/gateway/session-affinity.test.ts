import type { Cache } from '@patchbay/contracts/cache';
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../built-in/memory-cache.ts';
import { contextOf, createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createSessionAffinity, type SessionOwner, type Turn, turnsOf } from './session-affinity.ts';

const { caller } = contextOf('a');
const owner: SessionOwner = { caller, alias: undefined, optimize: 'balanced' };
const ask = (...texts: string[]): Turn => ({ isAnswer: false, texts });
const answer = (...texts: string[]): Turn => ({ isAnswer: true, texts });
const start = [ask('Be brief.'), ask('What is 2 + 2?')];
const second = [...start, answer('4'), ask('And 3 + 3?')];
const third = [...second, answer(), answer('6'), ask('tool result'), ask('And 4 + 4?')];

function setUp(cache?: Cache) {
  const clock = createStoppedClock();
  const log: string[] = [];
  const warn = (message: string) => void log.push(message);
  const affinity = createSessionAffinity(cache ?? createMemoryCache(clock, 100_000), { warn });
  const of = (turns: readonly Turn[], by: SessionOwner = owner) => affinity.of({ turns: () => turns }, by);
  const named = (session: string, by: SessionOwner = owner) => affinity.of({ session, turns: () => [] }, by);
  return { of, named, clock, log };
}

describe('the model of a conversation', () => {
  it('is found from the second turn on, as long as each turn follows within an hour', async () => {
    const { of, clock } = setUp();
    expect(await of(start).find()).toBeUndefined();
    await of(start).remember('a/m');
    // The same request once more, and not the same conversation.
    expect(await of(start).find()).toBeUndefined();
    clock.advance(3_599_999);
    const session = of(second);
    expect(await session.find()).toBe('a/m');
    await session.remember('a/m');
    clock.advance(3_599_999);
    expect(await of(third).find()).toBe('a/m');
    clock.advance(2);
    expect(await of(third).find()).toBeUndefined();
  });

  it('is the one that it moved to, even if the last turn is repeated', async () => {
    const { of } = setUp();
    await of(start).remember('a/m');
    const session = of(second);
    await session.find();
    await session.remember('b/m');
    expect(await of(third).find()).toBe('b/m');
    expect(await of([...start, answer('4'), ask('And 5 + 5?')]).find()).toBe('b/m');
  });

  it('is found by how the conversation began if a client changes later turns', async () => {
    const { of } = setUp();
    await of(start).remember('a/m');
    expect(await of([...start, answer('shortened'), ask('And 4 + 4?'), answer('8'), ask('Thanks')]).find()).toBe('a/m');
  });

  it('is not that of another conversation that began with the same words', async () => {
    const { of } = setUp();
    await of(start).remember('a/m');
    const session = of(second);
    await session.find();
    await session.remember('a/m');
    await of(start).remember('b/m');
    expect(await of(third).find()).toBe('a/m');
  });

  it('is unknown to prompts that begin with the same examples', async () => {
    const { of } = setUp();
    await of([...start, answer('4'), ask('How much is 7 + 7?')]).remember('a/m');
    expect(await of([...start, answer('4'), ask('How much is 9 + 9?')]).find()).toBeUndefined();
    expect(await of([answer('Welcome!'), ask('Hello')]).find()).toBeUndefined();
  });

  it('is known to the same key, alias and criterion only', async () => {
    const { of, named } = setUp();
    await of(start).remember('a/m');
    await named('session 1').remember('b/m');
    const others: readonly Partial<SessionOwner>[] = [
      { caller: { ...caller, id: 'another key' } },
      { caller: contextOf('b').caller },
      { alias: 'fast' },
      { optimize: 'cost' },
    ];
    for (const other of others) {
      expect(await of(second, { ...owner, ...other }).find()).toBeUndefined();
      expect(await named('session 1', { ...owner, ...other }).find()).toBeUndefined();
    }
    expect(await of(second).find()).toBe('a/m');
    expect(await named('session 1').find()).toBe('b/m');
    expect(await named('session 2').find()).toBeUndefined();
  });
});

describe('a cache', () => {
  const lost = { delete: async () => {}, set: async () => {} };

  it('that fails costs the conversation its model, and is logged', async () => {
    const fail = () => Promise.reject(new Error('gone'));
    const { of, log } = setUp({ ...lost, get: fail, set: fail });
    await of(start).remember('a/m');
    expect(await of(second).find()).toBeUndefined();
    expect(log).toEqual([
      'the model of a conversation could not be remembered',
      'the cache does not say which model a conversation is with',
    ]);
  });

  it('that hangs does not hold up the request', async () => {
    const { of, log } = setUp({ ...lost, get: () => new Promise(() => {}) });
    expect(await of(second).find()).toBeUndefined();
    expect(log).toHaveLength(1);
  });
});

it('turns consist of texts and tool calls, without reasoning', () => {
  const turns = turnsOf([
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Hi' },
        { type: 'tool-call', id: 'call_1', name: 'look', arguments: {} },
      ],
    },
    { role: 'tool', toolCallId: 'call_1', content: 'found' },
  ]);
  expect(turns).toEqual([ask('Hello'), answer('Hi', 'call_1'), ask('found')]);
});
