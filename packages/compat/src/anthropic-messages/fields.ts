import type { JsonObject, JsonValue } from '@patchbay/core/plugin';
import { fieldsOf, listOf, textOf } from '@patchbay/core/provider';
import { invalidRequest, type Place, placeOf } from './invalid-request.ts';

type Name<T> = keyof T & string;

/**
 * The members of an object that a caller sent as a `T`. Names are checked by the compiler, values when they are read: a
 * wrong one is the error that Anthropic returns for it. A member that is `null` counts as left out, as it does there.
 *
 * It remembers what was read, so that `rest` has what this version does not know.
 */
export class Fields<T extends object> {
  readonly place: Place;
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  /** @throws PatchbayError `invalid_request` for a value that is no object. */
  constructor(value: unknown, place: Place) {
    const members = fieldsOf(value);
    if (!members) throw invalidRequest(place, 'Input should be a valid dictionary');
    this.place = place;
    this.#members = members;
  }

  /** The same members, once it is known which of several shapes they have. */
  as<U extends object>(): Fields<U> {
    return this as unknown as Fields<U>;
  }

  /** The place of a member, for errors about it. */
  at(name: Name<T>): Place {
    return placeOf(this.place, name);
  }

  get(name: Name<T>): unknown {
    this.#read.add(name);
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  required(name: Name<T>): unknown {
    const value = this.get(name);
    if (value === undefined) throw invalidRequest(this.at(name), 'Field required', 'required');
    return value;
  }

  text(name: Name<T>): string {
    this.required(name);
    return this.optionalText(name) ?? '';
  }

  optionalText(name: Name<T>): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'string') return value;
    throw invalidRequest(this.at(name), 'Input should be a valid string', 'type');
  }

  /** A text that identifies something, and so is not empty. */
  name(name: Name<T>): string {
    const text = this.text(name);
    if (text === '') throw invalidRequest(this.at(name), 'String should have at least 1 character', 'minLength');
    return text;
  }

  flag(name: Name<T>): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw invalidRequest(this.at(name), 'Input should be a valid boolean', 'type');
  }

  number(name: Name<T>, { min, max, isInteger = false }: NumberRange): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw invalidRequest(this.at(name), `Input should be a valid ${isInteger ? 'integer' : 'number'}`, 'type');
    }
    if (isInteger && !Number.isSafeInteger(value)) {
      throw invalidRequest(this.at(name), 'Input should be a valid integer', 'type');
    }
    if (value < min) throw invalidRequest(this.at(name), `Input should be greater than or equal to ${min}`, 'minimum');
    if (max !== undefined && value > max) {
      throw invalidRequest(this.at(name), `Input should be less than or equal to ${max}`, 'maximum');
    }
    return value;
  }

  list(name: Name<T>): readonly unknown[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const list = listOf(value);
    if (!list) throw invalidRequest(this.at(name), 'Input should be a valid list', 'type');
    return list;
  }

  texts(name: Name<T>): readonly string[] | undefined {
    return this.list(name)?.map((value, index) => {
      if (typeof value === 'string') return value;
      throw invalidRequest(placeOf(this.at(name), index), 'Input should be a valid string', 'type');
    });
  }

  oneOf<V extends string>(name: Name<T>, values: readonly V[]): V {
    const value = this.required(name);
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    const all = values.map((each) => `'${each}'`);
    const wanted = all.length === 1 ? all[0] : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
    throw invalidRequest(this.at(name), `Input should be ${wanted}`, 'enum');
  }

  /** The member `type` of one of several shapes: any text, for the caller to compare. */
  tag(name: Name<T>): string {
    const value = textOf(this.required(name));
    if (value === undefined) throw invalidRequest(this.at(name), 'Input should be a valid string', 'type');
    return value;
  }

  object<U extends object>(name: Name<T>): Fields<U> {
    return new Fields<U>(this.required(name), this.at(name));
  }

  optionalObject<U extends object>(name: Name<T>): Fields<U> | undefined {
    return this.get(name) === undefined ? undefined : this.object<U>(name);
  }

  /** A member that is an object of free members, as it was sent. */
  json(name: Name<T>): JsonObject {
    this.object(name);
    return this.required(name) as JsonObject;
  }

  /**
   * What was not read, without members that are `null`. Undefined where there is nothing.
   *
   * @param also Members that were read, and belong to the rest all the same.
   */
  rest(...also: readonly Name<T>[]): JsonObject | undefined {
    for (const name of also) this.#read.delete(name);
    const unread = Object.entries(this.#members).filter(([name, value]) => value !== null && !this.#read.has(name));
    return unread.length === 0 ? undefined : (Object.fromEntries(unread) as { readonly [name: string]: JsonValue });
  }
}

interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly isInteger?: boolean;
}

/** The error for a `type` that is none of those that can stand at its place. */
export function unexpectedTag(place: Place, found: string, expected: readonly string[]) {
  const all = expected.map((each) => `'${each}'`).join(', ');
  const shown = JSON.stringify(found.slice(0, 60)).slice(1, -1);
  return invalidRequest(
    place,
    `Input tag '${shown}' found using 'type' does not match any of the expected tags: ${all}`,
    'enum',
  );
}
