import type { Statement } from '@patchbay/store-typeorm';
import type { RowLists } from './driver.ts';

/** Characters of everything that is kept: some hundred pages. */
const MAX_CHARACTERS = 1_048_576;

/** Characters of one result that is kept; a page of most lists has a few thousand. */
const MAX_CHARACTERS_OF_ONE = 65_536;

/** Added to the characters of each, so that those that were requested once have a bound as well. */
const OVERHEAD_CHARACTERS = 256;

/**
 * The rows that statements have found, until the next commit. Consoles and agents poll the same few lists, requests to the
 * same few functions read the same rows, and SQLite takes longer to find rows than to tell whether the database has changed.
 */
export class KnownRows {
  #version: unknown;
  #characters = 0;
  /** Rows by the texts of statements and by their parameters; undefined for those that were requested once. */
  readonly #known = new Map<string, Map<string, RowLists | undefined>>();

  /**
   * Forget everything if the database has changed.
   *
   * @param version The `data_version` of the connection, within the transaction of the reads that follow.
   */
  checkVersion(version: unknown): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#forget();
  }

  /**
   * The rows of statements that belong together; callers may only read them. Kept, and frozen, when they are requested
   * again: keeping what is read once would cost more than reading it.
   */
  read(statements: readonly Statement[], find: (statement: Statement) => RowLists[number]): RowLists {
    const [first, more] = statements;
    const texts = first && !more ? first.sql : statements.map(({ sql }) => sql).join('\n');
    const values = JSON.stringify(statements.map(({ parameters }) => parameters));
    const known = this.#known.get(texts) ?? new Map<string, RowLists | undefined>();
    const kept = known.get(values);
    if (kept !== undefined) return kept;
    const found = statements.map(find);
    const isAskedAgain = known.has(values);
    const characters = OVERHEAD_CHARACTERS + values.length + (isAskedAgain ? charactersOf(found) : 0);
    if (characters > MAX_CHARACTERS_OF_ONE) return found;
    if (this.#characters + characters > MAX_CHARACTERS) this.#forget();
    this.#characters += characters;
    if (isAskedAgain) for (const rows of found) Object.freeze(rows);
    this.#known.set(texts, known.set(values, isAskedAgain ? found : undefined));
    return found;
  }

  #forget(): void {
    for (const known of this.#known.values()) known.clear();
    this.#characters = 0;
  }
}

/** Decodes rows that are kept only once, and freezes the result: several callers have it. */
export class DecodedRows {
  readonly #decoded = new WeakMap<RowLists[number], unknown>();

  /** @param rows Frozen if they are kept. */
  read<T>(rows: RowLists[number], decode: () => T | Promise<T>): T | Promise<T> {
    if (!Object.isFrozen(rows)) return decode();
    const known = this.#decoded.get(rows) as T | undefined;
    if (known !== undefined) return known;
    const decoded = decode();
    if (!(decoded instanceof Promise)) this.#decoded.set(rows, deepFrozen(decoded));
    return decoded;
  }
}

/** A loop, because documents may be nested deeper than the stack is. */
function deepFrozen<T>(value: T): T {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    left.push(...Object.values(Object.freeze(next)));
  }
  return value;
}

function charactersOf(found: RowLists): number {
  let characters = 0;
  for (const rows of found) {
    for (const row of rows) {
      for (const value of row) characters += typeof value === 'string' ? value.length : 8;
    }
  }
  return characters;
}
