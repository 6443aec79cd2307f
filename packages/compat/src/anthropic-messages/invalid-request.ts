import { PatchbayError } from '@patchbay/core/plugin';

/** The place of a member as Anthropic writes it: `messages.2.content.0.source`. Empty for the body itself. */
export type Place = string;

export function placeOf(parent: Place, name: string | number): Place {
  return parent === '' ? String(name) : `${parent}.${name}`;
}

/**
 * The error for a member that is missing or wrong, in the words of Anthropic's own API, which the callers' code may read:
 * `messages.2.content.0.source: Field required`.
 */
export function invalidRequest(place: Place, detail: string, code = 'invalid'): PatchbayError {
  const message = place === '' ? detail : `${place}: ${detail}`;
  return new PatchbayError('invalid_request', message, { errors: [{ pointer: pointerOf(place), code, detail }] });
}

/** What the API calls the refusal of a request whose conversation it would have to keep. */
export const THREAD_UNSUPPORTED = 'thread_unsupported_request';

/** The error for a member that only Anthropic's own models can follow. */
export function unsupported(place: Place, detail: string): PatchbayError {
  return invalidRequest(place, detail, 'unsupported');
}

function pointerOf(place: Place): string {
  return place === '' ? '' : `/${place.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`;
}

/** What the shared parsers of this package refuse, at its place in this API. */
export function refusedAt<T>(place: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const [fault] = PatchbayError.is(error) ? error.errors : [];
    if (!fault) throw error;
    const steps = fault.pointer.split('/').slice(1);
    throw invalidRequest(steps.reduce<Place>(placeOf, place), fault.detail, fault.code);
  }
}
