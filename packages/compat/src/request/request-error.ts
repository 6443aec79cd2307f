import { PatchbayError } from '@patchbay/core/plugin';

/** The faults of a request that clients may tell apart, as OpenAI names them. */
export type RequestFault =
  | 'missing_required_parameter'
  | 'invalid_type'
  | 'invalid_value'
  | 'unsupported_parameter'
  | 'unsupported_value';

/**
 * The error of every request that cannot be read or served: `invalid_request` with one location.
 *
 * @param pointer JSON Pointer into the body.
 * @param detail What follows the name of the member: `must be a text`.
 */
export function requestError(pointer: string, code: RequestFault, detail: string): PatchbayError {
  const subject = pointer === '' ? 'the body' : paramOf(pointer);
  return new PatchbayError('invalid_request', `${subject} ${detail}`, { errors: [{ pointer, code, detail }] });
}

/**
 * A JSON Pointer as the path that `param` of an error has: `/messages/2/content` as `messages[2].content`. Of a pointer to
 * a header or a query parameter, which is none, only the text.
 */
export function paramOf(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '');
}
