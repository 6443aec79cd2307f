import { describe, expect, it } from 'vitest';
import { LogCollector } from './output-streams.ts';
import type { RunOutcome } from './protocol.ts';
import { YieldDesk } from './yield-desk.ts';

function open(yielded: (output: string) => Promise<void>, maxBytes = 100) {
  const ended: RunOutcome[] = [];
  const resumed: string[] = [];
  const watcher = { wrote() {}, restarted() {}, yielded };
  const logs = new LogCollector(100);
  const desk = new YieldDesk({
    watcher,
    logs,
    maxBytes,
    resume: () => resumed.push('resumed'),
    onEnd: (outcome) => ended.push(outcome),
  });
  const take = (text: string, isMarked = false) => desk.take(Buffer.from(text), isMarked);
  return { desk, logs, take, ended, resumed };
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

  it('outputs are handed on one at a time, in order', async () => {
    const seen: string[] = [];
    const gates = [0, 1].map(() => Promise.withResolvers<void>());
    const { take, resumed } = open(async (output) => {
      seen.push(output);
      await gates[seen.length - 1]?.promise;
    });
    for (const n of [0, 1]) take(`{"n":${n}}`);
    expect([seen, resumed.length]).toEqual([['{"n":0}'], 0]);
    gates[0]?.resolve();
    await expect.poll(() => [seen.length, resumed.length]).toEqual([2, 1]);
    gates[1]?.resolve();
    await expect.poll(() => resumed.length).toBe(2);
    expect(seen).toEqual(['{"n":0}', '{"n":1}']);
  });

  it('an output waits for the lines before it', async () => {
    const seen: string[] = [];
    const { desk, logs, take, resumed } = open(async (output) => void seen.push(output));
    take('{}');
    await expect.poll(() => resumed).toHaveLength(1);
    take('{"n":1}', true);
    logs.mark(1);
    await new Promise(setImmediate);
    expect([seen, desk.isWaiting]).toEqual([['{}'], true]);
    logs.mark(2);
    await expect.poll(() => seen).toEqual(['{}', '{"n":1}']);
  });

  it('an output whose lines never come is not handed on after the end of its run', async () => {
    const seen: string[] = [];
    const { desk, logs, take } = open(async (output) => void seen.push(output));
    take('{}', true);
    desk.close();
    logs.mark(1);
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
  });

  it('too many outputs before the first one was taken are a violation', () => {
    const { take } = open(() => new Promise(() => {}), 1000);
    for (let count = 0; count < 64; count++) expect(take('{}')).toBeUndefined();
    expect(take('{}')).toContain('more than 64');
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
