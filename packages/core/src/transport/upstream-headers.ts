/** Headers as the connection gives them: names in lower case. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The `Headers` of an answer. Making those of the platform, which check and sort what was received, costs more than
 * everything else that is done with a small answer. Like those of a `fetch`, they cannot be changed.
 */
export class UpstreamHeaders implements Headers {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const value = this.#raw[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : value.join(', ');
  }

  has(name: string): boolean {
    return this.#raw[name.toLowerCase()] !== undefined;
  }

  getSetCookie(): string[] {
    const cookies = this.#raw['set-cookie'] ?? [];
    return typeof cookies === 'string' ? [cookies] : [...cookies];
  }

  *entries(): ReturnType<Headers['entries']> {
    for (const name of Object.keys(this.#raw).toSorted()) {
      if (name === 'set-cookie') for (const cookie of this.getSetCookie()) yield [name, cookie];
      else yield [name, this.get(name) ?? ''];
    }
  }

  *keys(): ReturnType<Headers['keys']> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): ReturnType<Headers['values']> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): ReturnType<Headers['entries']> {
    return this.entries();
  }

  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) visit.call(self, value, name, this);
  }

  append(): void {
    throw immutable();
  }

  set(): void {
    throw immutable();
  }

  delete(): void {
    throw immutable();
  }
}

const immutable = () => new TypeError('the headers of an answer cannot be changed');
