import { describe, expect, it } from 'vitest';
import { LogCollector } from './log-collector.ts';
import { LogReader } from './log-reader.ts';

function read(text: string, size = text.length): readonly (readonly string[])[] {
  const lines: (readonly string[])[] = [];
  const reader = new LogReader({
    level: 'info',
    onLine: (level, message) => lines.push([level, message]),
    onFlushed: () => lines.push(['flushed']),
  });
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
  reader.end();
  return lines;
}

describe('LogReader', () => {
  it('tells entries from plain lines, wherever the stream is cut', () => {
    const text = 'plain é\n\u001eWtwo\nlines\n\u001fno end\u001eE😀\n\u001f\u001eF\u001f\n\u001eZunknown\u001flast';
    const lines = [
      ['info', 'plain é'],
      ['warn', 'two\nlines'],
      ['info', 'no end'],
      ['error', '😀'],
      ['flushed'],
      ['info', '\u001eZunknown'],
      ['info', 'last'],
    ];
    for (const size of [1, 2, 3, 7, 1000]) expect(read(text, size)).toEqual(lines);
  });

  it('does not wait for an end that does not come', () => {
    const lines = read(`\u001eI${'x'.repeat(200_000)}`, 10_000);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map(([, message]) => message).join('')).toHaveLength(200_000);
  });
});

describe('LogCollector', () => {
  it('keeps so many bytes, and says when there was more', () => {
    const logs = new LogCollector(40);
    logs.add('info', 'é'.repeat(10));
    expect(logs.truncated).toBe(false);
    logs.add('info', 'é'.repeat(11));
    logs.add('info', 'x');
    expect(logs.lines.map(({ message }) => message)).toEqual(['é'.repeat(10), 'é'.repeat(10)]);
    expect(logs.truncated).toBe(true);
  });

  it('counts short and empty lines as 16 bytes', () => {
    const logs = new LogCollector(48);
    for (const message of ['', 'x', '', 'y']) logs.add('info', message);
    expect(logs.lines.map(({ message }) => message)).toEqual(['', 'x', '']);
    expect(logs.truncated).toBe(true);
  });

  it('keeps nothing where nothing is asked for', () => {
    const logs = new LogCollector(0);
    logs.add('info', '');
    expect(logs.lines).toEqual([]);
    expect(logs.truncated).toBe(true);
  });
});
