import { describe, expect, it } from 'vitest';
import type { RunOutcome } from './protocol.ts';
import { YieldDesk } from './yield-desk.ts';

function open(yielded: (output: string) => Promise<void>, maxBytes = 100) {
  const ended: RunOutcome[] = [];
  const resumed: string[] = [];
  const watcher = { wrote() {}, restarted() {}, yielded };
  const desk = new YieldDesk({
    watcher,
    maxBytes,
    resume: () => resumed.push('resumed'),
    onEnd: (outcome) => ended.push(outcome),
  });
  const take = (text: string) => desk.take(Buffer.from(text));
  return { desk, take, ended, resumed };
}

describe('YieldDesk', () => {
  it('the generator is resumed when its output was taken', async () => {
    const taken = Promise.withResolvers<void>();
    const { desk, take, resumed } = open(() => taken.promise);
    expect(take('{}')).toBeUndefined();
    expect([desk.isWaiting, resumed]).toEqual([true, []]);
    taken.resolve();
    await expect.poll(() => resumed).toEqual(['resumed']);
    expect(desk.isWaiting).toBe(false);
  });

  it('a second output before the first one was taken is a violation', () => {
    const { take } = open(() => new Promise(() => {}));
    expect([take('{}'), take('{}')]).toEqual([undefined, expect.stringContaining('before')]);
  });

  it('a run that has ended is not resumed', async () => {
    const taken = Promise.withResolvers<void>();
    const { desk, take, resumed } = open(() => taken.promise);
    take('{}');
    desk.close();
    taken.resolve();
    await taken.promise;
    await new Promise(setImmediate);
    expect(resumed).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'protocol_violation'],
    ['no object', '[]', 'protocol_violation'],
    ['too deep', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'output_unserializable'],
    ['too much', `{"a":"${'x'.repeat(100)}"}`, 'output_too_large'],
  ])('an output that is %s ends the run', (_, text, reason) => {
    const { take, ended } = open(async () => {}, 200 - (text.length > 110 ? 0 : 100));
    take(text);
    expect(ended).toMatchObject([{ reason }]);
  });

  it('an output that its reader cannot parse ends the run', async () => {
    const { take, ended, resumed } = open(() => Promise.reject(new SyntaxError('no')));
    take('{}');
    await expect.poll(() => ended).toMatchObject([{ reason: 'output_unserializable' }]);
    expect(resumed).toEqual([]);
  });
});
