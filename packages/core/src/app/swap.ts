/** One reference to a value that is replaced as a whole, for those that outlive the value. */
export interface Swap<T> {
  /** @throws Error before the first `replace`. */
  readonly current: T;
  replace(next: T): void;
}

export function createSwap<T extends object>(): Swap<T> {
  let value: T | undefined;
  return {
    get current() {
      if (value === undefined) throw new Error('nothing is in force yet');
      return value;
    },
    replace(next) {
      value = next;
    },
  };
}

/** An object whose members are those of the current value at the moment they are read, for hosts that keep a service. */
export function follow<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(current(), key);
      return found && { ...found, configurable: true };
    },
  });
}
