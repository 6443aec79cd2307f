/** One layer around an operation: does its part and calls `next`, or responds itself. */
export type Middleware<Call, Result> = (call: Call, next: () => Promise<Result>) => Promise<Result>;

/**
 * Compose middleware, the first one outermost.
 *
 * A layer may call `next` once: a second call rejects, because the inner layers would run twice.
 */
export function compose<Call, Result>(layers: readonly Middleware<Call, Result>[]): Middleware<Call, Result> {
  const run = async (index: number, call: Call, innermost: () => Promise<Result>): Promise<Result> => {
    const layer = layers[index];
    if (layer === undefined) return await innermost();
    let called = false;
    return await layer(call, async () => {
      if (called) throw new Error('next() was called twice by the same middleware');
      called = true;
      return await run(index + 1, call, innermost);
    });
  };
  return layers.length === 0 ? (_, next) => next() : (call, next) => run(0, call, next);
}
