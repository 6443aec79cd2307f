import type { HostCalls } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { HostCallDesk } from './conversation.ts';

const call = (text: string): Buffer => Buffer.from(text);
const number = (value: number): Buffer => Buffer.from([0, 0, 0, value]);

function open(serve: HostCalls['call'], maxCalls = 100) {
  const replies: string[] = [];
  const limits: number[] = [];
  const desk = new HostCallDesk({
    host: { maxCalls, secrets: {}, call: serve },
    reply: (payload) => replies.push(`${payload.readUInt32BE(0)} ${payload[4]} ${payload.toString('utf8', 5)}`),
    onLimit: (max) => limits.push(max),
  });
  return { desk, replies, limits };
}

describe('HostCallDesk', () => {
  it('calls are numbered by their place', async () => {
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const { desk, replies } = open(async (_, given) => (await answers[Number(given)]?.promise) ?? '');
    expect([desk.take(call('a\n0')), desk.take(call('b\n1'))]).toEqual([undefined, undefined]);
    answers[1]?.resolve('"second"');
    await expect.poll(() => replies).toEqual(['2 1 "second"']);
    answers[0]?.resolve('"first"');
    await expect.poll(() => replies).toEqual(['2 1 "second"', '1 1 "first"']);
    expect(desk.open).toBe(0);
  });

  it('eight calls may be pending', () => {
    const { desk } = open(() => new Promise(() => {}));
    for (let made = 0; made < 8; made++) expect(desk.take(call('a\n{}'))).toBeUndefined();
    expect(desk.take(call('a\n{}'))).toContain('more than 8');
  });

  it('one call too many ends all', () => {
    const signals: AbortSignal[] = [];
    const { desk, limits } = open((_, __, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    }, 2);
    for (let made = 0; made < 3; made++) desk.take(call('a\n{}'));
    expect(limits).toEqual([2]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('a closed desk sends no replies', async () => {
    const answer = Promise.withResolvers<string>();
    const { desk, replies } = open(() => answer.promise);
    desk.take(call('a\n{}'));
    desk.close();
    answer.resolve('{}');
    await answer.promise;
    await new Promise(setImmediate);
    expect(replies).toEqual([]);
  });

  it('a cancellation after the reply is ignored', async () => {
    const { desk, replies } = open(async () => '{}');
    desk.take(call('a\n{}'));
    await expect.poll(() => replies).toEqual(['1 1 {}']);
    expect(desk.cancel(number(1))).toBeUndefined();
    expect(desk.cancel(number(1))).toBeDefined();
  });
});
