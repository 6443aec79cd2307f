/** Stands for a value of which nothing is known yet. */
const nothing = Symbol('nothing');

/**
 * The value of JSON that is still being written: strings may be cut off, what has not begun is left out. Undefined: nothing
 * is known yet.
 *
 * @throws SyntaxError if it cannot become JSON, however it continues.
 */
export function partialJson(text: string): unknown {
  const reader = new PartialReader(text);
  const value = reader.value();
  if (reader.peek() !== undefined) throw new SyntaxError('there is text after the JSON');
  return value === nothing ? undefined : value;
}

class PartialReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character that is not white space. */
  peek(): string | undefined {
    this.#match(/\s*/y);
    return this.#text[this.#at];
  }

  value(): unknown {
    const next = this.peek();
    if (next === undefined) return nothing;
    if (next === '{') return this.#object();
    if (next === '[') return this.#list();
    return next === '"' ? this.#string() : this.#word();
  }

  #object(): object {
    const members: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#ends('}', members.length > 0)) {
      if (this.peek() !== '"') throw new SyntaxError('a name is missing');
      const name = this.#string();
      if (this.peek() === undefined) break;
      this.#take(':');
      const value = this.value();
      if (value !== nothing) members.push([name, value]);
    }
    return Object.fromEntries(members);
  }

  #list(): readonly unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#ends(']', items.length > 0)) {
      const value = this.value();
      if (value !== nothing) items.push(value);
    }
    return items;
  }

  /** Whether there is no further member: by the end of the list, or of the text. */
  #ends(close: string, needsComma: boolean): boolean {
    const next = this.peek();
    if (next === close) this.#at += 1;
    if (next === close || next === undefined) return true;
    if (needsComma) this.#take(',');
    return this.peek() === undefined;
  }

  #string(): string {
    const written = this.#match(/"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*/iy);
    const rest = this.#text.slice(this.#at);
    const isWhole = rest.startsWith('"');
    if (!isWhole && !/^(?:\\(?:u[\da-f]{0,3})?)?$/i.test(rest)) throw new SyntaxError('this is no text');
    this.#at = isWhole ? this.#at + 1 : this.#text.length;
    return JSON.parse(`${written}"`) as string;
  }

  /** A number, or one of `true`, `false` and `null`. At the end of the text it may continue. */
  #word(): unknown {
    const word = this.#match(/[-+.\w]+/y);
    if (this.#at < this.#text.length) return JSON.parse(word);
    const isBeginning = ['true', 'false', 'null'].some((each) => each.startsWith(word));
    if (word === '' || !(isBeginning || /^-?[\d.eE+-]*$/.test(word))) throw new SyntaxError('this is no value');
    return nothing;
  }

  #take(sign: string): void {
    if (this.peek() !== sign) throw new SyntaxError(`${sign} is missing`);
    this.#at += 1;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}
