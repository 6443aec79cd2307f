import { describe, expect, it } from 'vitest';
import { LogCollector, LogReader, Marks } from './output-streams.ts';

function read(text: string, size = text.length): readonly (readonly string[])[] {
  const lines: (readonly string[])[] = [];
  const reader = new LogReader({
    level: 'info',
    marks: new Marks(),
    onLine: (level, message) => lines.push([level, message]),
    onFlushed: () => lines.push(['flushed']),
    onYielded: (outputs) => lines.push(['yielded', String(outputs)]),
  });
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
  reader.end();
  return lines;
}

describe('LogReader', () => {
  it('entries and plain lines are distinguished wherever the stream is cut', () => {
    const text =
      'plain é\n\u001eWtwo\nlines\n\u001fno end\u001eE😀\n\u001f\u001eY12\u001f\u001eF\u001f\n\u001eZunknown\u001flast';
    const lines = [
      ['info', 'plain é'],
      ['warn', 'two\nlines'],
      ['info', 'no end'],
      ['error', '😀'],
      ['yielded', '12'],
      ['flushed'],
      ['info', '\u001eZunknown'],
      ['info', 'last'],
    ];
    for (const size of [1, 2, 3, 7, 1000]) expect(read(text, size)).toEqual(lines);
  });

  it('marks without the random text that was given first are text', () => {
    const forged = '\u001f\u001eF\u001f\u001eN2\u001f\u001e2F\u001f2';
    const text = `\u001eN1\u001f\u001e1Wa${forged}b\u001f1c${forged}\n\u001e1Y3\u001f1\u001e1F\u001f1`;
    const lines = [['warn', `a${forged}b`], ['info', `c${forged}`], ['yielded', '3'], ['flushed']];
    for (const size of [1, 2, 3, 7, 1000]) expect(read(text, size)).toEqual(lines);
  });

  it('an entry without end becomes a line', () => {
    const lines = read(`\u001eI${'x'.repeat(200_000)}`, 10_000);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map(([, message]) => message).join('')).toHaveLength(200_000);
  });

  it('an entry that is too long to be held ends without a trace of its mark', () => {
    const lines = read(`\u001eN12\u001f\u001e12I${'x'.repeat(200_000)}\n\u001f12\u001e12Wnext\u001f12`, 10_000);
    expect(lines.at(-1)).toEqual(['warn', 'next']);
    expect(
      lines
        .slice(0, -1)
        .map(([, message]) => message)
        .join(''),
    ).toBe('x'.repeat(200_000));
  });
});

describe('the fields of an entry', () => {
  const read = (text: string): unknown[] => {
    const lines: unknown[] = [];
    const reader = new LogReader({
      level: 'info',
      marks: new Marks(),
      onLine: (_, message, fields) => lines.push([message, fields]),
      onFlushed() {},
    });
    reader.push(Buffer.from(`\u001eI${text}\u001f`));
    return lines;
  };

  it('fields are an object that can be stored', () => {
    expect(read('a\u001d{"b":1}')).toEqual([['a', { b: 1 }]]);
    expect(read('\u001d{}')).toEqual([['', {}]]);
  });

  it.each(['[1]', 'null', '{', '{"a":"\\u0000"}', '{"a":"\\uD800"}', `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`])(
    'are not %s',
    (json) => {
      expect(read(`a\u001d${json}`)).toEqual([[`a\u001d${json}`, undefined]]);
    },
  );

  it('count, and are left out where they do not fit', () => {
    const logs = new LogCollector(50);
    logs.add('info', 'a', { text: 'b'.repeat(20) });
    logs.add('info', 'c', { text: 'd'.repeat(20) });
    expect(logs.lines.map(({ message, fields }) => [message, fields])).toEqual([
      ['a', { text: 'b'.repeat(20) }],
      ['c', undefined],
    ]);
    expect(logs.truncated).toBe(true);
  });
});

describe('LogCollector', () => {
  it('logs are kept up to a limit, and marked as truncated', () => {
    const logs = new LogCollector(40);
    logs.add('info', 'é'.repeat(10));
    expect(logs.truncated).toBe(false);
    logs.add('info', 'é'.repeat(11));
    logs.add('info', 'x');
    expect(logs.lines.map(({ message }) => message)).toEqual(['é'.repeat(10), 'é'.repeat(10)]);
    expect(logs.truncated).toBe(true);
  });

  it('short and empty lines count as 16 bytes', () => {
    const logs = new LogCollector(48);
    for (const message of ['', 'x', '', 'y']) logs.add('info', message);
    expect(logs.lines.map(({ message }) => message)).toEqual(['', 'x', '']);
    expect(logs.truncated).toBe(true);
  });

  it('lines bring along how many outputs they follow, which never becomes less', async () => {
    const told: unknown[] = [];
    const logs = new LogCollector(1000, ({ message }, outputs) => told.push([message, outputs]));
    const marked = logs.marked(3);
    for (const outputs of [1, 4, 2, Number.NaN]) {
      logs.mark(outputs);
      logs.add('info', 'line');
    }
    await Promise.all([marked, logs.marked(4)]);
    expect(told).toEqual([1, 4, 4, 4].map((outputs) => ['line', outputs]));
  });

  it('a limit of zero keeps nothing', () => {
    const logs = new LogCollector(0);
    logs.add('info', '');
    expect(logs.lines).toEqual([]);
    expect(logs.truncated).toBe(true);
  });
});
