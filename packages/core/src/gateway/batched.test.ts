import { expect, it } from 'vitest';
import { Batched } from './stream-events.ts';

async function listOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

it('batches are read as they arrive, or item by item', async () => {
  const source = () =>
    new Batched(
      (async function* () {
        yield [1, 2];
        yield [3];
      })(),
    );
  expect(await listOf(source().batches)).toEqual([[1, 2], [3]]);
  expect(await listOf(source())).toEqual([1, 2, 3]);
});

it('the source ends with the iteration of its items, even within a batch', async () => {
  let isEnded = false;
  const items = new Batched(
    (async function* () {
      try {
        for (;;) yield [1, 2];
      } finally {
        isEnded = true;
      }
    })(),
  );
  for await (const item of items) if (item === 1) break;
  expect(isEnded).toBe(true);
});

it('items that arrive alone are batches of one', async () => {
  async function* source() {
    yield 1;
    yield 2;
  }
  expect(await listOf(Batched.from(source()).batches)).toEqual([[1], [2]]);
});
