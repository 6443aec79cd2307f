import type { OutputWatcher } from '@patchbay/contracts/executor';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../fixtures/function-parts.ts';
import { OutputEvents, streamCall } from './stream-call.ts';

describe('the events of an output', () => {
  it('a reader gets the latest state when it takes one', async () => {
    const output = new OutputEvents();
    expect(output.take()).toBeUndefined();
    output.wrote('{');
    expect(output.take()).toBeUndefined();
    const { changed } = output;
    output.wrote('{"a":"x');
    await changed;
    output.wrote('{"a":"xy');
    expect(output.take()).toEqual({ partial: { a: 'xy' } });
    output.wrote('{"a":"xy"');
    expect(output.take(), 'no event comes twice').toBeUndefined();
    expect(output.takeEnd({ a: 'xyz' })).toBeUndefined();
  });

  it('a restart is an event only if something was shown', () => {
    const output = new OutputEvents();
    output.restarted('first attempt');
    output.wrote('{"a":"x"}');
    output.restarted('nothing was shown');
    output.wrote('{"b":"y"}');
    expect(output.take()).toEqual({ partial: { b: 'y' } });
    output.restarted('it did not fit');
    output.wrote('{"a":"z"}');
    expect(output.take()).toEqual({ restart: 'it did not fit' });
    expect(output.take()).toEqual({ partial: { a: 'z' } });
  });

  it('never take back what they showed without a restart', () => {
    const output = new OutputEvents();
    output.wrote('{"a":"x"');
    expect(output.take()).toEqual({ partial: { a: 'x' } });
    output.wrote('{"a":"x","a":"y"');
    expect(output.take()).toBeUndefined();
    expect(output.takeEnd({ a: 'y' })).toEqual({ restart: expect.stringContaining('differs') });
    expect(output.takeEnd({ a: 'y' })).toBeUndefined();
  });
});

describe('the outputs of a generator', () => {
  const context = contextOf('a');

  async function* yielding(watcher: OutputWatcher, outputs: readonly object[], resumed: object[]) {
    for (const output of outputs) {
      await watcher.yielded(JSON.stringify(output));
      resumed.push(output);
      yield output;
    }
  }

  const run = (outputs: readonly object[], resumed: object[] = []) =>
    streamCall(async (watcher) => {
      for await (const _ of yielding(watcher, outputs, resumed));
      return { output: { end: 1 } };
    }, context);

  it('arrive one by one, as soon as they are taken, and replace each other', async () => {
    const outputs = Array.from({ length: 500 }, (_, n) => ({ n }));
    const resumed: object[] = [];
    const seen: unknown[] = [];
    for await (const event of await run(outputs, resumed)) {
      expect(resumed.length).toBe(Math.min(seen.length, outputs.length));
      seen.push(event);
    }
    expect(seen).toEqual([
      ...outputs.map((partial) => ({ partial, isYielded: true })),
      { done: { output: { end: 1 } } },
    ]);
  });

  it('are delivered before the failure that follows them', async () => {
    const events = await streamCall(async (watcher) => {
      void watcher.yielded('{"n":1}');
      await Promise.reject(new Error('no'));
      return { output: {} };
    }, context);
    expect(await events.next()).toEqual({ done: false, value: { partial: { n: 1 }, isYielded: true } });
    await expect(events.next()).rejects.toThrow('no');
  });

  it('come after the lines that were logged before them, if logs are requested', async () => {
    const line = (message: string) => ({ level: 'info', message, time: '2026-01-01T00:00:00.000Z' }) as const;
    const seen = async (withLogs: boolean) => {
      const carryOut = async (watcher: OutputWatcher) => {
        watcher.logged?.(line('begun'));
        await watcher.yielded('{"n":1}');
        watcher.logged?.(line('over'));
        return { output: { n: 2 } };
      };
      const events: unknown[] = [];
      for await (const event of await streamCall(carryOut, context, withLogs)) events.push(event);
      return events;
    };
    const [yielded, done] = [{ partial: { n: 1 }, isYielded: true }, { done: { output: { n: 2 } } }];
    expect(await seen(true)).toEqual([{ log: line('begun') }, yielded, { log: line('over') }, done]);
    expect(await seen(false)).toEqual([yielded, done]);
  });

  it('come before the lines that follow them, however early these arrive', async () => {
    const line = (message: string) => ({ level: 'info', message, time: '2026-01-01T00:00:00.000Z' }) as const;
    const carryOut = async (watcher: OutputWatcher) => {
      const first = watcher.yielded('{"n":1}');
      watcher.logged?.(line('after the first one'));
      watcher.logged?.(line('after the second one'), 2);
      await first;
      const second = watcher.yielded('{"n":2}');
      watcher.logged?.(line('after one that never comes'), 3);
      void second;
      return { output: { n: 2 } };
    };
    const seen: unknown[] = [];
    for await (const event of await streamCall(carryOut, context, true)) {
      if ('partial' in event) seen.push(event.partial);
      if ('log' in event) seen.push(event.log.message);
    }
    expect(seen).toEqual([
      { n: 1 },
      'after the first one',
      { n: 2 },
      'after the second one',
      'after one that never comes',
    ]);
  });

  it('are refused if they are not JSON', async () => {
    const events = streamCall(async (watcher) => {
      await watcher.yielded('{"n":');
      return { output: {} };
    }, context);
    await expect(events).rejects.toThrow(SyntaxError);
  });

  it('abort the run when their reader leaves', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const events = await streamCall(async (watcher, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.aborted));
      await watcher.yielded('{}');
      return { output: {} };
    }, context);
    await events.next();
    await events.return();
    expect(await aborted.promise).toBe(true);
  });
});
