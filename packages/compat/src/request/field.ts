import type { JsonObject } from '@patchbay/core/plugin';
import { type RequestFault, requestError } from './request-error.ts';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A value of a request, with its place. Reading it as something that it is not throws the 400 that names the place. */
export class Field {
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

  /** What `read` makes of the value, or undefined where there is none. */
  maybe<T>(read: (field: Field) => T): T | undefined {
    return this.isGiven ? read(this) : undefined;
  }

  /** A member of an object, which may be absent. */
  member(name: string): Field {
    const object = this.object();
    return new Field(Object.hasOwn(object, name) ? object[name] : undefined, this.#pointerTo(name));
  }

  /** All members, with those that nothing here knows. */
  members(): readonly (readonly [string, Field])[] {
    return Object.entries(this.object()).map(([name, value]) => [name, new Field(value, this.#pointerTo(name))]);
  }

  object(): JsonObject {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    return this.#isNot('an object');
  }

  list(): readonly Field[] {
    const { value } = this;
    if (!Array.isArray(value)) return this.#isNot('a list');
    return value.map((item, index) => new Field(item, `${this.pointer}/${index}`));
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.#isNot('a text');
  }

  /** A text that is not empty. */
  name(): string {
    return this.text() === '' ? this.fail('invalid_value', 'must not be empty') : this.text();
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.#isNot('a boolean');
  }

  number({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds = {}): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isFinite(value)) return this.#isNot('a number');
    if (value < min) return this.fail('invalid_value', `must be at least ${min}`);
    return value > max ? this.fail('invalid_value', `must be at most ${max}`) : value;
  }

  integer(bounds: Bounds = {}): number {
    return Number.isSafeInteger(this.number(bounds)) ? this.number(bounds) : this.#isNot('an integer');
  }

  oneOf<const T extends string>(values: readonly T[]): T {
    const given = this.text();
    const known = values.find((value) => value === given);
    return known ?? this.fail('invalid_value', `must be one of ${values.map((value) => `"${value}"`).join(', ')}`);
  }

  fail(code: RequestFault, detail: string): never {
    throw requestError(this.pointer, code, detail);
  }

  #isNot(kind: string): never {
    if (!this.isGiven) return this.fail('missing_required_parameter', `is required, and must be ${kind}`);
    return this.fail('invalid_type', `must be ${kind}`);
  }

  #pointerTo(name: string): string {
    return `${this.pointer}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
}
