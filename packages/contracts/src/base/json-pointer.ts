/** The JSON Pointer (RFC 6901) of a member of the value that `pointer` points to. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const SHOWN_CHARACTERS = 100;

/**
 * A shortened pointer for messages. Its names come from callers and from the code of functions: with several MiB, and
 * in each of 50 errors, they would turn a small document into a huge response or row.
 */
export function shownPointer(pointer: string): string {
  return pointer
    .split('/')
    .map((name) => (name.length <= SHOWN_CHARACTERS ? name : `${name.slice(0, SHOWN_CHARACTERS - 1)}…`))
    .join('/');
}
