/**
 * Items of which several may arrive together: read them one by one by iterating, or as they arrive by `batches`, which costs
 * as much for many of them as for one. They can be read once; ending the iteration ends their source.
 */
export class Batched<T> implements AsyncIterable<T> {
  readonly batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches;
  }

  /** Of a source that has each of its items alone. */
  static from<T>(items: AsyncIterable<T>): Batched<T> {
    return new Batched(alone(items));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const batch of this.batches) yield* batch;
  }
}

async function* alone<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}
