import type { JsonObject } from '@patchbay/core/plugin';
import { type RequestFault, requestError } from './request-error.ts';

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

/** A value of a request, with its place. Reading it as something that it is not throws the 400 that names the place. */
export class Value {
  readonly value: unknown;
  /** JSON Pointer. */
  readonly pointer: string;

  constructor(value: unknown, pointer = '') {
    this.value = value;
    this.pointer = pointer;
  }

  /** Vendors take null for a member that was left out. */
  get isGiven(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  object(): JsonObject {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    return this.isNot('an object');
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.isNot('a text');
  }

  /** A text that is not empty. */
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
 * It remembers what was read: `rest` has what is unknown here, and `unread` what nothing took.
 */
export class Field<T = unknown> extends Value {
  readonly #read = new Map<string, Field>();
  #isTaken = false;

  /** What `read` makes of the value, or undefined where there is none. */
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

  /** All of an object, as it was sent. */
  json(): JsonObject {
    this.#isTaken = true;
    return this.object();
  }

  list(): readonly Field<ItemOf<T>>[] {
    const { value } = this;
    if (!Array.isArray(value)) return this.isNot('a list');
    return value.map((item, index) => this.#child(String(index), item));
  }

  textOrList(): string | readonly Field<ItemOf<T>>[] {
    if (typeof this.value === 'string') return this.value;
    return Array.isArray(this.value) ? this.list() : this.isNot('a text or a list');
  }

  /** The members that were not read, and those of `also`, as they were sent. They count as read from now on. */
  rest(...also: readonly NameOf<T>[]): JsonObject | undefined {
    const others = Object.entries(this.object()).filter(
      ([name, value]) => value !== null && (!this.#read.has(name) || also.some((each) => each === name)),
    );
    for (const [name, value] of others) this.#read.set(name, new Field(value));
    // From entries: an assignment to `__proto__` would be lost.
    return others.length === 0 ? undefined : Object.fromEntries(others);
  }

  /** The paths of the members, on every level, that were not read although something beside them was. */
  *unread(path = ''): Generator<string> {
    const { value } = this;
    if (this.#isTaken || this.#read.size === 0 || typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const step = Array.isArray(value) ? `${path}[]` : path === '' ? name : `${path}.${name}`;
      const read = this.#read.get(name);
      if (read) yield* read.unread(step);
      else if (member !== null) yield step;
    }
  }

  #child<C>(name: string, value: unknown): Field<C> {
    const step = name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1');
    const child = this.#read.get(name)?.as<C>() ?? new Field<C>(value, `${this.pointer}/${step}`);
    this.#read.set(name, child.as());
    return child;
  }
}
