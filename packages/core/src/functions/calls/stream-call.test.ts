import { describe, expect, it } from 'vitest';
import { OutputEvents } from './stream-call.ts';

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

  it('never take back what they showed without saying so', () => {
    const output = new OutputEvents();
    output.wrote('{"a":"x"');
    expect(output.take()).toEqual({ partial: { a: 'x' } });
    output.wrote('{"a":"x","a":"y"');
    expect(output.take()).toBeUndefined();
    expect(output.takeEnd({ a: 'y' })).toEqual({ restart: expect.stringContaining('differs') });
    expect(output.takeEnd({ a: 'y' })).toBeUndefined();
  });
});
