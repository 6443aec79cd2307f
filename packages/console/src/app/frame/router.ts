import { type ReadonlySignal, signal } from '@preact/signals';

/** A location in the console: `#/functions/fn_1/versions?version=3`. */
export interface Place {
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export interface Router {
  readonly place: ReadonlySignal<Place>;
  readonly go: (hash: string) => void;
  /** Change the query in place, without a new entry in the history. */
  readonly filter: (query: Readonly<Record<string, string>>) => void;
}

/** Follows the hash of the URL, so that the server has one page only. */
export function createRouter(): Router {
  const place = signal(readPlace(location.hash));
  addEventListener('hashchange', () => {
    place.value = readPlace(location.hash);
  });
  return {
    place,
    go(hash) {
      location.hash = hash;
    },
    filter(query) {
      history.replaceState(null, '', linkTo(place.value.path, query));
      place.value = readPlace(location.hash);
    },
  };
}

/** The `href` of a location. */
export function linkTo(path: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

function readPlace(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
