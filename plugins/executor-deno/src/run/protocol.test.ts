import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameDecoder, FrameError, jsonDepth, outcomeOfOutput } from './protocol.ts';

const limits = (type: number): number | undefined => (type === 1 ? 5 : type === 2 ? 0 : undefined);
const stream = Buffer.concat([
  encodeFrame(1, Buffer.from('hello')),
  encodeFrame(2, Buffer.alloc(0)),
  encodeFrame(1, Buffer.from('x')),
]);
const frames = [
  { type: 1, payload: Buffer.from('hello') },
  { type: 2, payload: Buffer.alloc(0) },
  { type: 1, payload: Buffer.from('x') },
];

describe('FrameDecoder', () => {
  it('frames are the same wherever the stream is cut', () => {
    for (let size = 1; size <= stream.length; size++) {
      const decoder = new FrameDecoder(limits);
      const found = [];
      for (let start = 0; start < stream.length; start += size) {
        found.push(...decoder.push(stream.subarray(start, start + size)));
      }
      expect(found).toEqual(frames);
    }
  });

  it('complete frames before a fault are yielded', () => {
    const decoder = new FrameDecoder(limits);
    const found = decoder.push(Buffer.concat([stream, Buffer.from([9, 0, 0, 0, 0])]));
    for (const frame of frames) expect(found.next().value).toEqual(frame);
    expect(() => found.next()).toThrow(FrameError);
  });

  it('a length is judged by the header alone', () => {
    const decoder = new FrameDecoder(limits);
    expect(() => [...decoder.push(Buffer.from([1, 0xff, 0xff, 0xff, 0xff]))]).toThrow('4294967295 bytes');
    expect(() => [...new FrameDecoder(limits).push(Buffer.from([2, 0, 0, 0, 1]))]).toThrow(FrameError);
  });
});

describe('jsonDepth', () => {
  it('brackets outside of strings count', () => {
    const depths: Readonly<Record<string, number>> = {
      '1': 0,
      '{}': 1,
      '[[],{"a":[]}]': 3,
      '"[[["': 0,
      '["\\"[[", [1]]': 2,
      '["\\\\", [1]]': 2,
    };
    for (const [text, depth] of Object.entries(depths)) expect(jsonDepth(Buffer.from(text))).toBe(depth);
  });

  it('a million levels are counted', () => {
    expect(jsonDepth(Buffer.from('['.repeat(1_000_000)))).toBe(1_000_000);
  });
});

describe('outcomeOfOutput', () => {
  const outcomeOf = (text: string) => outcomeOfOutput(Buffer.from(text), false);

  it('objects of at most 64 levels are outputs', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(outcomeOf(nested(64))).toEqual({ kind: 'output', output: nested(64), isQuiet: false });
    expect(outcomeOf(nested(65))).toMatchObject({ kind: 'failure', reason: 'output_unserializable' });
  });

  it.each(['', 'null', '[]', '"a"', '1', '{', '{}x', '\ufeff{}'])('%j is refused', (text) => {
    expect(outcomeOf(text)).toMatchObject({ kind: 'failure', reason: 'protocol_violation' });
  });
});
