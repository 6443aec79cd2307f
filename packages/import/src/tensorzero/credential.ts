import type { Source } from '../source/source.ts';

/** A key as a reference of a config. */
interface Credential {
  /** Undefined: the server needs none. */
  readonly reference: string | undefined;
  readonly difference?: string;
}

/**
 * Read where a key is: `env::NAME`, `path::FILE`, `none`, or a map with a default and a fallback. Keys that arrive with
 * requests do not belong to the server.
 *
 * @param standard Environment variable of the vendor.
 */
export function readCredential(location: Source | undefined, standard: string | undefined): Credential {
  if (location === undefined) return { reference: standard && `\${${standard}}` };
  if (location.scalar === undefined) {
    const places = ['default', 'fallback'].flatMap((name) => location.text(name) ?? []);
    const usable = places.find((place) => !place.startsWith('dynamic::'));
    return {
      ...referenceOf(usable ?? places[0] ?? '', standard),
      difference: `only one place is used for the key: ${usable}`,
    };
  }
  return referenceOf(String(location.take()), standard);
}

function referenceOf(location: string, standard: string | undefined): Credential {
  const [kind, value] = location.split('::');
  if (kind === 'env') return { reference: `\${${value}}` };
  if (kind === 'path') return { reference: `\${file:${value}}` };
  if (location === 'none') return { reference: undefined };
  const reference = standard && `\${${standard}}`;
  return {
    reference,
    difference: `a request brings no key of a vendor: the server has one, ${reference ?? 'or none'}`,
  };
}
