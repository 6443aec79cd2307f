/** Things that arrive one after another, for tests that wait for the next one. */
export class Arrivals<T> {
  readonly #all: T[] = [];
  readonly #waiting: ((next: T) => void)[] = [];

  get all(): readonly T[] {
    return this.#all;
  }

  add(arrived: T): void {
    this.#all.push(arrived);
    for (const resolve of this.#waiting.splice(0)) resolve(arrived);
  }

  /** Resolves with the next one added. */
  next(): Promise<T> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
