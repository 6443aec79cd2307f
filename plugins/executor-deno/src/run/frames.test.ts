import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameDecoder, FrameError } from './frames.ts';

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
  it('finds the same frames wherever the stream is cut', () => {
    for (let size = 1; size <= stream.length; size++) {
      const decoder = new FrameDecoder(limits);
      const found = [];
      for (let start = 0; start < stream.length; start += size) {
        found.push(...decoder.push(stream.subarray(start, start + size)));
      }
      expect(found).toEqual(frames);
    }
  });

  it('yields what is whole before it complains', () => {
    const decoder = new FrameDecoder(limits);
    const found = decoder.push(Buffer.concat([stream, Buffer.from([9, 0, 0, 0, 0])]));
    for (const frame of frames) expect(found.next().value).toEqual(frame);
    expect(() => found.next()).toThrow(FrameError);
  });

  it('judges a length by the header alone', () => {
    const decoder = new FrameDecoder(limits);
    expect(() => [...decoder.push(Buffer.from([1, 0xff, 0xff, 0xff, 0xff]))]).toThrow('4294967295 bytes');
    expect(() => [...new FrameDecoder(limits).push(Buffer.from([2, 0, 0, 0, 1]))]).toThrow(FrameError);
  });
});
