import { memberPointer } from '@patchbay/contracts/base/json-pointer';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import { isSecretName } from '../secrets/redactor.ts';
import { binaryIn, withoutBinary } from './binary.ts';
import type { ContentMarks } from './stored-content.ts';

/** How much of a document is kept. */
interface Room {
  /** Characters of a text. */
  readonly characters: number;
  /** Items of an array, and members of an object. */
  readonly items: number;
}

/** The parts that were left out of a document, while it is copied. */
type GrowingMarks = { readonly [N in keyof ContentMarks]: ContentMarks[N][number][] };

export interface FittedDocument {
  readonly document: JsonObject;
  readonly marks: Omit<ContentMarks, 'redacted'>;
}

const MOST_MARKS = 100;
const HIDDEN = '[hidden]';

/** Less and less of each value, until the whole fits. */
const roomsFor = (bytes: number): readonly Room[] => [
  { characters: bytes, items: 1_000 },
  { characters: Math.ceil(bytes / 4), items: 500 },
  { characters: Math.ceil(bytes / 16), items: 200 },
  { characters: 1_024, items: 100 },
  { characters: 256, items: 50 },
  { characters: 64, items: 20 },
];

/**
 * A copy of a document with at most the given number of bytes as JSON, without the bytes of files and without
 * credentials. The marks tell what was shortened. Undefined: it cannot be made small enough.
 *
 * @param hide Removes secrets of the server from a text.
 */
export function fitDocument(
  document: JsonObject,
  bytes: number,
  hide: (text: string) => string,
): FittedDocument | undefined {
  for (const room of roomsFor(bytes)) {
    const fitting = new Fitting(room, bytes, hide);
    const copy = fitting.copy(document, '', '') as JsonObject;
    if (!fitting.isOver && Buffer.byteLength(JSON.stringify(copy)) <= bytes) {
      return { document: copy, marks: fitting.marks };
    }
  }
  return undefined;
}

/** Secrets are looked for a little beyond the end, so that none is cut in half. */
const BEYOND = 4_096;

class Fitting {
  readonly marks: Pick<GrowingMarks, 'cut' | 'omitted'> = { cut: [], omitted: [] };
  readonly #room: Room;
  readonly #hide: (text: string) => string;
  #left: number;

  constructor(room: Room, bytes: number, hide: (text: string) => string) {
    this.#room = room;
    this.#hide = hide;
    this.#left = bytes;
  }

  /** It does not fit, so the rest is not copied. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  copy(value: unknown, pointer: string, name: string): JsonValue {
    if (this.isOver) return null;
    if (typeof value === 'string') return this.#spent(this.#text(value, pointer, name));
    if (Array.isArray(value)) return this.#array(value, pointer);
    if (typeof value === 'object' && value !== null) return this.#object(value, pointer);
    this.#left -= 5;
    return value === undefined ? null : (value as JsonValue);
  }

  #array(value: readonly unknown[], pointer: string): JsonValue {
    const { items } = this.#room;
    if (value.length > items) this.#mark('cut', { pointer, items: value.length });
    // The beginning and the end of a conversation matter most.
    const first = Math.ceil(items / 2);
    const kept = value.length > items ? [...value.slice(0, first), ...value.slice(first - items)] : value;
    return kept.map((item, index) => this.copy(item, `${pointer}/${index}`, ''));
  }

  #object(value: object, pointer: string): JsonValue {
    const copy: Record<string, JsonValue> = {};
    const binary = binaryIn(value);
    let count = 0;
    for (const [name, member] of Object.entries(value)) {
      if (this.isOver) break;
      if (member === undefined || typeof member === 'function') continue;
      const at = memberPointer(pointer, name);
      count += 1;
      if (count > this.#room.items) continue;
      this.#left -= name.length + 4;
      if (isSecretName(name) && typeof member === 'string') copy[name] = HIDDEN;
      else if (binary?.name === name) copy[name] = this.#omit(at, binary.bytes, binary.mediaType);
      else copy[name] = this.copy(member, at, name);
    }
    if (count > this.#room.items) this.#mark('cut', { pointer, items: count });
    return copy;
  }

  #text(value: string, pointer: string, name: string): string {
    const { text, omitted } = withoutBinary(value, name);
    for (const each of omitted) this.#mark('omitted', { pointer, ...each });
    const { characters } = this.#room;
    const hidden = this.#hide(text.length > characters + BEYOND ? text.slice(0, characters + BEYOND) : text);
    if (text.length <= characters && hidden.length <= characters) return hidden;
    this.#mark('cut', { pointer, bytes: Buffer.byteLength(text) });
    return `${hidden.slice(0, characters).toWellFormed()}…`;
  }

  #omit(pointer: string, bytes: number, mediaType: string | undefined): string {
    this.#mark('omitted', { pointer, bytes, ...(mediaType !== undefined && { mediaType }) });
    return '[omitted]';
  }

  #spent(text: string): string {
    this.#left -= text.length + 3;
    return text;
  }

  #mark<N extends 'cut' | 'omitted'>(name: N, mark: GrowingMarks[N][number]): void {
    const marks = this.marks[name] as GrowingMarks[N][number][];
    if (marks.length < MOST_MARKS) marks.push(mark);
  }
}
