/** A set of so many keys at most: one more pushes out the one that was added first. */
export class RecentKeys {
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Put a key in, as the last, or take it out. */
  set(key: string, isIn: boolean): void {
    this.#keys.delete(key);
    if (!isIn) return;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#most && oldest !== undefined) this.#keys.delete(oldest);
  }
}
