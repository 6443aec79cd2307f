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
 * @param detail What follows the name of the member: `must be a string`.
 */
export function requestError(pointer: string, code: RequestFault, detail: string): PatchbayError {
  const subject = paramOf(stepsOf(pointer)) || 'the body';
  return new PatchbayError('invalid_request', `${subject} ${detail}`, { errors: [{ pointer, code, detail }] });
}

/** The steps of a JSON Pointer; for a reference to a header or a query parameter, only its text. */
export function stepsOf(pointer: string): readonly string[] {
  if (!pointer.startsWith('/')) return pointer === '' ? [] : [pointer.replace(/^\?/, '')];
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Steps as the path in the `param` of an error: `messages[2].content`. */
export function paramOf(steps: readonly string[]): string {
  return steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}
