import { expect, it } from 'vitest';
import { assertRefuses } from './assert-refuses.ts';

it('a call that is not refused fails with its input', async () => {
  await expect(assertRefuses('a commit without writes', async () => 7)).rejects.toThrow(
    'it has to refuse a commit without writes, with a Error: it resolved',
  );
});

it('a call that is refused with another error fails with both', async () => {
  const call = () => Promise.reject(new RangeError('too many'));
  await expect(assertRefuses('1,001 writes', call, TypeError)).rejects.toThrow(
    'it has to refuse 1,001 writes, with a TypeError: it rejected with RangeError: too many',
  );
});

it('a call may throw or reject', async () => {
  const throws = () => {
    throw new TypeError('no');
  };
  await expect(assertRefuses('nothing', () => Promise.reject(new Error('no')))).resolves.toBeUndefined();
  await expect(assertRefuses('nothing', throws)).resolves.toBeUndefined();
});
