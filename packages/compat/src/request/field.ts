import type { JsonObject } from '@patchbay/core/plugin';
import { type RequestFault, requestError } from './request-error.ts';

/** Messages of a request. Reading or translating more takes too long for one turn of the event loop. */
export const MAX_MESSAGES = 10_000;

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** The names of the members of an object, or of any of several possible ones. */
type NameOf<T> = unknown extends T ? string : T extends object ? keyof T & string : never;
type MemberOf<T, N> = unknown extends T
  ? unknown
  : T extends object
    ? N extends keyof T
      ? Given<T[N]>
      : never
    : never;
type Given<T> = unknown extends T ? unknown : NonNullable<T>;
type ItemOf<T> = unknown extends T ? unknown : T extends readonly (infer Item)[] ? Item : never;

interface Step {
  readonly from: Value;
  readonly name: string | number;
}

/** A value of a request, with its path. Reading it as something that it is not throws the 400 that names the path. */
export class Value {
  readonly value: unknown;
  readonly #place: string | Step;

  /** @param place JSON Pointer, or the step from the value around this one. */
  constructor(value: unknown, place: string | Step = '') {
    this.value = value;
    this.#place = place;
  }

  /** JSON Pointer. Created on demand: a body has 100,000 values, and a fault one path. */
  get pointer(): string {
    const place = this.#place;
    if (typeof place === 'string') return place;
    return `${place.from.pointer}/${String(place.name).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  /** Vendors treat null as an omitted member. */
  get isGiven(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  object(): JsonObject {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    return this.isNot('an object');
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.isNot('a string');
  }

  /** A string that is not empty. */
  name(): string {
    return this.text() === '' ? this.fail('invalid_value', 'must not be empty') : this.text();
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.isNot('a boolean');
  }

  number({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds = {}): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isFinite(value)) return this.isNot('a number');
    if (value < min) return this.fail('invalid_value', `must be at least ${min}`);
    return value > max ? this.fail('invalid_value', `must be at most ${max}`) : value;
  }

  integer(bounds: Bounds = {}): number {
    return Number.isSafeInteger(this.number(bounds)) ? this.number(bounds) : this.isNot('an integer');
  }

  oneOf<const V extends string>(values: readonly V[]): V {
    const given = this.text();
    const known = values.find((value) => value === given);
    return known ?? this.fail('invalid_value', `must be one of ${values.map((value) => `"${value}"`).join(', ')}`);
  }

  fail(code: RequestFault, detail: string): never {
    throw requestError(this.pointer, code, detail);
  }

  protected isNot(kind: string): never {
    if (!this.isGiven) return this.fail('missing_required_parameter', `is required, and must be ${kind}`);
    return this.fail('invalid_type', `must be ${kind}`);
  }
}

/**
 * A value that a caller sent as a `T`. Names of members are checked by the compiler, values when they are read.
 *
 * It remembers what was read: `rest` returns what is unknown here, and `unread` what was never read.
 */
export class Field<T = unknown> extends Value {
  #read: Map<string | number, Field> | undefined;
  #isTaken = false;

  /** The result of `read`, or undefined if there is no value. */
  maybe<R>(read: (field: Field<T>) => R): R | undefined {
    return this.isGiven ? read(this) : undefined;
  }

  /** The same value, once it is known which of several shapes it has. */
  as<U>(): Field<U> {
    return this as unknown as Field<U>;
  }

  /** A member of an object, which may be absent. */
  member<N extends NameOf<T>>(name: N): Field<MemberOf<T, N>> {
    const object = this.object();
    return this.#child(name, Object.hasOwn(object, name) ? object[name] : undefined);
  }

  /** The same for a member that has a value. Most requests leave out most members. */
  given<N extends NameOf<T>>(name: N): Field<MemberOf<T, N>> | undefined {
    const value = this.object()[name];
    return value === undefined || value === null || !Object.hasOwn(this.object(), name) ? undefined : this.member(name);
  }

  /** All of an object, as it was sent. */
  json(): JsonObject {
    this.#isTaken = true;
    return this.object();
  }

  list({ max = Number.POSITIVE_INFINITY }: Pick<Bounds, 'max'> = {}): readonly Field<ItemOf<T>>[] {
    const { value } = this;
    if (!Array.isArray(value)) return this.isNot('a list');
    if (value.length > max) return this.fail('invalid_value', `must have at most ${max} items`);
    return value.map((item, index) => this.#child(index, item));
  }

  textOrList(bounds: Pick<Bounds, 'max'> = {}): string | readonly Field<ItemOf<T>>[] {
    if (typeof this.value === 'string') return this.value;
    return Array.isArray(this.value) ? this.list(bounds) : this.isNot('a string or a list');
  }

  /** The members that were not read, and those of `also`, as they were sent. They count as read from now on. */
  rest(...also: readonly NameOf<T>[]): JsonObject | undefined {
    const others = Object.entries(this.object()).filter(
      ([name, value]) => value !== null && (!this.#read?.has(name) || also.some((each) => each === name)),
    );
    for (const [name, value] of others) this.#mark(name, new Field(value));
    // From entries: an assignment to `__proto__` would be lost.
    return others.length === 0 ? undefined : Object.fromEntries(others);
  }

  /** The paths of the members, on every level, that were not read although some of their siblings were. */
  unread(): ReadonlySet<string> {
    const paths = new Set<string>();
    this.#addUnread('', paths);
    return paths;
  }

  #addUnread(path: string, paths: Set<string>): void {
    const { value } = this;
    const read = this.#read;
    if (this.#isTaken || read === undefined || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      const items = `${path}[]`;
      for (const item of read.values()) item.#addUnread(items, paths);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const known = read.get(name);
      // Most values are not objects, and contain nothing.
      if (known && (known.#read === undefined || known.#isTaken)) continue;
      const step = path === '' ? name : `${path}.${name}`;
      if (known) known.#addUnread(step, paths);
      else if (member !== null) paths.add(step);
    }
  }

  #child<C>(name: string | number, value: unknown): Field<C> {
    return this.#read?.get(name)?.as<C>() ?? this.#mark(name, new Field<C>(value, { from: this, name }));
  }

  #mark<C>(name: string | number, child: Field<C>): Field<C> {
    this.#read ??= new Map();
    this.#read.set(name, child.as());
    return child;
  }
}
