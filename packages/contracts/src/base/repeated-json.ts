import { SHORT_JSON } from './json-text.ts';

/** The common parts of documents. */
interface Pattern {
  readonly document: Copied;
  readonly plan: Plan;
  /** The text around the values that vary: one piece more than there are values. */
  readonly literals: readonly string[];
  readonly isText: readonly boolean[];
  /** Index of the string that grows; undefined if such documents are read one by one. */
  readonly growing: number | undefined;
}

/** When consecutive documents can be read as one. Members are named by JSON pointers. */
export interface JoinedMembers {
  /** Strings that arrive in pieces. One of them varies. */
  readonly growing: ReadonlySet<string>;
  /**
   * Names of members beside it that have the same value each time. Others must be empty, as they may add up as well.
   * Default: all.
   */
  readonly beside?: ReadonlySet<string>;
  /** Other members that may vary; their last value counts. */
  readonly replaced: ReadonlySet<string>;
}

/** Documents that differ in the pieces of one string. */
export interface JoinedDocuments {
  /** The last one, with the joined string of all of them. */
  readonly document: unknown;
  readonly pieces: readonly string[];
}

/**
 * The first documents in a row that repeat no other begin something new, and are to be expected: they are not compared.
 */
const AWAITED = 2;

/** After this many documents in a row that repeat no other, documents are no longer compared. */
const PATIENCE = 16;

/** Every integer with this many digits is exact as a double. */
const SAFE_DIGITS = 15;

const [quote, backslash, zero, nine] = [0x22, 0x5c, 0x30, 0x39];

/**
 * Reads the JSON documents of one stream, which mostly repeat each other except for a string or a count: one that
 * matches an earlier one everywhere else is copied from it, at a fraction of what parsing costs. Each result is what
 * the parser would return, and shares nothing with the others.
 *
 * @example
 * ```ts
 * import { RepeatedJson } from '@patchbay/core/provider';
 *
 * const json = new RepeatedJson((text): unknown => JSON.parse(text));
 * for (const text of ['{"at":1,"word":"one"}', '{"at":2,"word":"two"}', '{"at":3,"word":"three"}']) {
 *   console.log(json.read(text)); // { at: 1, word: 'one' }, ...
 * }
 * ```
 */
export class RepeatedJson {
  readonly #parse: (text: string) => unknown;
  readonly #joins: JoinedMembers | undefined;
  #pattern: Pattern | undefined;
  /** The latest document that was parsed, and how it resembled the one before. */
  #latest: { readonly document: Copied; readonly plan: Plan | undefined } | undefined;
  /** Of the text that is compared with the pattern. */
  #values: Varying[] = [];
  /** Of the last document that was joined. */
  #joinedValues: Varying[] = [];
  #pieces: string[] = [];
  #misses = 0;

  /**
   * @param parse Called for documents that repeat no other. What it returns or throws depends on the text alone.
   * @param joins Default: no documents are joined.
   */
  constructor(parse: (text: string) => unknown, joins?: JoinedMembers) {
    this.#parse = parse;
    this.#joins = joins;
  }

  /** Read the document between two positions of a text. Throws as the parser does. */
  read(text: string, start = 0, end: number = text.length): unknown {
    const pattern = this.#pattern;
    if (pattern && this.#matches(pattern, text, start, end)) {
      this.#misses = 0;
      return copyOf(pattern.document, pattern.plan, this.#values);
    }
    const own = text.slice(start, end);
    const document = this.#parse(own);
    this.#misses += 1;
    const isCompared = this.#misses > AWAITED && this.#misses <= PATIENCE;
    if (isCompared && own.length <= SHORT_JSON) this.#learn(own);
    return document;
  }

  /**
   * Join the document between two positions of a text to those before it, if it differs from an earlier one only in
   * what can be joined.
   *
   * @returns false for one that must be read by itself, after those that were joined.
   */
  join(text: string, start: number, end: number): boolean {
    const pattern = this.#pattern;
    if (pattern?.growing === undefined || !this.#matches(pattern, text, start, end)) return false;
    this.#misses = 0;
    const values = this.#values;
    // The next document may fit only in part.
    this.#values = this.#joinedValues;
    this.#joinedValues = values;
    this.#pieces.push(values[pattern.growing] as string);
    return true;
  }

  /**
   * The documents that were joined since the last call; undefined if there are none. Call it before anything else is
   * read.
   */
  joined(): JoinedDocuments | undefined {
    const pattern = this.#pattern;
    const pieces = this.#pieces;
    if (pieces.length === 0 || pattern?.growing === undefined) return undefined;
    this.#pieces = [];
    this.#joinedValues[pattern.growing] = pieces.join('');
    return { document: copyOf(pattern.document, pattern.plan, this.#joinedValues), pieces };
  }

  #matches({ literals, isText }: Pattern, text: string, start: number, end: number): boolean {
    let at = start;
    for (let place = 0; place < isText.length; place += 1) {
      const literal = literals[place] as string;
      const from = at + literal.length;
      // An equal slice is found in a fraction of the time that `startsWith` takes.
      if (text.slice(at, from) !== literal) return false;
      at = isText[place] ? endOfText(text, from, end) : endOfCount(text, from, end);
      if (at === -1) return false;
      const own = text.slice(from, at);
      this.#values[place] = isText[place] ? own : Number(own);
    }
    return text.slice(at, end) === literals[isText.length];
  }

  #learn(given: string): void {
    // A slice in the pattern would keep the whole text around the document in memory for as long as the stream lasts.
    const text = Buffer.from(given).toString();
    if (text !== given) return;
    // Not the document that is returned, which its reader may change.
    const document = this.#parse(text);
    if (typeof document !== 'object' || document === null) return;
    const varying: VaryingMember[] = [];
    const plan = this.#latest && planOf(this.#latest, document as Copied, varying);
    this.#latest = { document: document as Copied, plan };
    const pattern = plan && patternOf(text, document as Copied, plan, varying, this.#joins);
    if (pattern && this.#isRight(pattern, varying)) this.#pattern = pattern;
  }

  /** Whether other values at these positions of the text become the members that vary, and change nothing else. */
  #isRight({ document, plan, literals }: Pattern, varying: readonly VaryingMember[]): boolean {
    const others = varying.map(({ value }) => (typeof value === 'string' ? `${value}~` : value + 1));
    const text = literals.map((literal, place) => `${literal}${others[place] ?? ''}`).join('');
    return isSame(this.#parsed(text), copyOf(document, plan, others));
  }

  /** Undefined for a text that is not a document. */
  #parsed(text: string): unknown {
    try {
      return this.#parse(text);
    } catch {
      return undefined;
    }
  }
}

/** Index of the quote that ends a string without escapes; -1 for one with escapes, or if there is none. */
function endOfText(text: string, from: number, end: number): number {
  let hasSurrogates = false;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return hasSurrogates && !text.slice(from, at).isWellFormed() ? -1 : at;
    if (code < 0x20 || code === backslash) return -1;
    if (code >= 0xd800 && code <= 0xdfff) hasSurrogates = true;
  }
  return -1;
}

/** The index after an integer. */
function endOfCount(text: string, from: number, end: number): number {
  let at = from;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) break;
  }
  const digits = at - from;
  const isWritten = digits === 1 || (digits > 1 && digits <= SAFE_DIGITS && text.charCodeAt(from) !== zero);
  return isWritten ? at : -1;
}

/** Undefined if the values that vary are not found in the text. */
function patternOf(
  text: string,
  document: Copied,
  plan: Plan,
  varying: readonly VaryingMember[],
  joins: JoinedMembers | undefined,
): Pattern | undefined {
  if (varying.length === 0) return undefined;
  const literals: string[] = [];
  let from = 0;
  for (const { name, value } of varying) {
    const at = placeOf(text, from, name, value);
    const end = typeof value === 'string' ? endOfText(text, at, text.length) : endOfCount(text, at, text.length);
    if (at === -1 || end === -1 || text.slice(at, end) !== String(value)) return undefined;
    literals.push(text.slice(from, at));
    from = end;
  }
  literals.push(text.slice(from));
  const isText = varying.map(({ value }) => typeof value === 'string');
  return { document, plan, literals, isText, growing: joins && growingPlace(document, varying, joins) };
}

function growingPlace(
  document: Copied,
  varying: readonly VaryingMember[],
  { growing, beside, replaced }: JoinedMembers,
): number | undefined {
  const place = varying.findIndex(({ pointer, value }) => typeof value === 'string' && growing.has(pointer));
  const found = varying[place];
  if (!found || varying.some(({ pointer }) => pointer !== found.pointer && !replaced.has(pointer))) return undefined;
  const steps = found.pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  const holder = steps.reduce((each, step) => each[step] as Copied, document);
  const isAlone = Object.keys(holder).every((name) => name === last || beside?.has(name) || isEmpty(holder[name]));
  return beside === undefined || isAlone ? place : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Where a value may begin, after the opening quote of a string. */
function placeOf(text: string, from: number, name: string | undefined, value: Varying): number {
  const opening = typeof value === 'string' ? '"' : '';
  if (name === undefined) {
    const at = text.indexOf(`${opening}${value}`, from);
    return at === -1 ? -1 : at + opening.length;
  }
  const key = JSON.stringify(name);
  for (let at = text.indexOf(key, from); at !== -1; at = text.indexOf(key, at + 1)) {
    const [colon = ''] = /^\s*:\s*/.exec(text.slice(at + key.length)) ?? [];
    const place = at + key.length + colon.length;
    if (colon !== '' && text.startsWith(`${opening}${value}${opening}`, place)) return place + opening.length;
  }
  return -1;
}

/** A list or an object as it was parsed. */
type Copied = Record<string | number, unknown>;

/** Deeper documents are not compared: each level takes a stack frame. */
const LEVELS = 64;

/** A value that differs between documents that are alike. */
type Varying = string | number;

/** A member or an item that varies. */
interface VaryingMember {
  /** Undefined for items. */
  readonly name: string | undefined;
  /** Its location in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly value: Varying;
}

/** How to copy a list or an object of a document. */
interface Plan {
  readonly isList: boolean;
  /** Lists and objects among its members. */
  readonly nested: readonly (readonly [step: string | number, plan: Plan])[];
  /** Members that vary, each with its position among all those of the document. */
  readonly varying: readonly (readonly [step: string | number, place: number])[];
}

/** A document, and how it resembled the one before. */
interface Compared {
  readonly document: Copied;
  readonly plan: Plan | undefined;
}

/**
 * How to copy documents that match two others in all but some strings and numbers; undefined if the two differ in more.
 *
 * @param found Receives the values that vary, in their order.
 */
function planOf(
  { document: before, plan: known }: Compared,
  document: Copied,
  found: VaryingMember[],
  level = 0,
  pointer = '',
): Plan | undefined {
  if (level === LEVELS) return undefined;
  const isList = Array.isArray(document);
  const names = Object.keys(document);
  const others = Object.keys(before);
  if (Array.isArray(before) !== isList || names.length !== others.length) return undefined;
  const nested: [string | number, Plan][] = [];
  const varying: [string | number, number][] = [];
  for (const [index, name] of names.entries()) {
    if (name !== others[index]) return undefined;
    const step = isList ? index : name;
    const [one, value] = [before[step], document[step]];
    if (isCopied(value)) {
      if (!isCopied(one)) return undefined;
      const more = known?.nested.find(([each]) => each === step)?.[1];
      const plan = planOf({ document: one, plan: more }, value, found, level + 1, `${pointer}/${step}`);
      if (!plan) return undefined;
      nested.push([step, plan]);
    } else if (one !== value || known?.varying.some(([each]) => each === step)) {
      if (typeof one !== typeof value || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
      varying.push([step, found.length]);
      found.push({ name: isList ? undefined : name, pointer: `${pointer}/${step}`, value });
    }
  }
  return { isList, nested, varying };
}

/** A copy with other values in the places that vary. For every event of every stream. */
function copyOf(document: Copied, { isList, nested, varying }: Plan, values: readonly Varying[]): Copied {
  const copy = isList ? ((document as unknown as unknown[]).slice() as unknown as Copied) : { ...document };
  for (let index = 0; index < nested.length; index += 1) {
    const [step, plan] = nested[index] as Plan['nested'][number];
    copy[step] = copyOf(document[step] as Copied, plan, values);
  }
  for (let index = 0; index < varying.length; index += 1) {
    const [step, place] = varying[index] as Plan['varying'][number];
    copy[step] = values[place];
  }
  return copy;
}

/** Whether two values were parsed from equivalent texts, member by member. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isCopied(one) || !isCopied(other)) return Object.is(one, other);
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== others.length) return false;
  return names.every((name, index) => name === others[index] && isSame(one[name], other[name]));
}

const isCopied = (value: unknown): value is Copied => typeof value === 'object' && value !== null;
