/** Tells whoever works on something in this process that there is more to do. Others find out by looking. */
export interface Pokes {
  poke(id: string): void;
  /** Resolves at the next poke, or after some milliseconds. */
  wait(id: string, ms: number): Promise<void>;
}

export function createPokes(): Pokes {
  const waiting = new Map<string, () => void>();
  return {
    poke: (id) => waiting.get(id)?.(),
    wait: (id, ms) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          if (waiting.get(id) === end) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(end, ms).unref();
        waiting.set(id, end);
      }),
  };
}
