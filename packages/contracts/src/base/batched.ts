/**
 * Items that may arrive several at a time: iterate to read them one by one, or use `batches` to read them as they
 * arrive, which costs as much for many items as for one. They can be read once; ending the iteration ends their source.
 */
export class Batched<T> implements AsyncIterable<T> {
  readonly batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches;
  }

  /** From a source that yields its items one at a time. */
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
