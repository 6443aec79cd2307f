import { describe, expect, it } from 'vitest';
import { compose, type Middleware } from './compose.ts';

describe('compose', () => {
  const layer =
    (name: string, log: string[]): Middleware<string, string> =>
    async (call, next) => {
      log.push(`${name} in ${call}`);
      const result = await next();
      log.push(`${name} out`);
      return `${name}(${result})`;
    };

  it('runs the first layer outermost', async () => {
    const log: string[] = [];
    const all = compose([layer('a', log), layer('b', log)]);
    expect(await all('x', async () => 'result')).toBe('a(b(result))');
    expect(log).toEqual(['a in x', 'b in x', 'b out', 'a out']);
  });

  it('returns the handler without layers', async () => {
    expect(await compose<string, string>([])('x', async () => 'result')).toBe('result');
  });

  it('lets a layer respond without calling the next one', async () => {
    let reached = false;
    const all = compose<string, string>([async () => 'refused']);
    const result = await all('x', async () => {
      reached = true;
      return 'result';
    });
    expect([result, reached]).toEqual(['refused', false]);
  });

  it('rejects a second call of next', async () => {
    let runs = 0;
    const twice: Middleware<string, number> = async (_call, next) => {
      await next();
      return await next();
    };
    const all = compose([twice]);
    await expect(all('x', async () => (runs += 1))).rejects.toThrow('next() was called twice');
    expect(runs).toBe(1);
  });

  it('supports repeated and concurrent calls', async () => {
    const all = compose([layer('a', []), layer('b', [])]);
    const results = await Promise.all(['1', '2', '3'].map((name) => all(name, async () => name)));
    expect(results).toEqual(['a(b(1))', 'a(b(2))', 'a(b(3))']);
  });

  it('rejects if a layer throws synchronously', async () => {
    const throwing: Middleware<string, string> = () => {
      throw new Error('broken');
    };
    const all = compose([layer('a', []), throwing]);
    await expect(all('x', async () => 'result')).rejects.toThrow('broken');
    await expect(compose([throwing])('x', async () => 'result')).rejects.toThrow('broken');
  });
});
