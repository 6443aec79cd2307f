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

/** Members of a request whose names vendors write in another way. */
const renamed: ReadonlySet<string> = new Set([
  'maxTokens',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'toolChoice',
  'parallelToolCalls',
  'reasoningEffort',
]);

/** A path in the gateway's own request as one in the vendor's. @param others Members with names of this vendor only. */
export function vendorSteps(
  steps: readonly string[],
  others: Readonly<Record<string, readonly string[]>> = {},
): readonly string[] {
  const [first = '', ...rest] = steps;
  if (Object.hasOwn(others, first)) return [...(others[first] ?? []), ...rest];
  return renamed.has(first) ? [first.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), ...rest] : steps;
}

/** Steps as the path in the `param` of an error: `messages[2].content`. */
export function paramOf(steps: readonly string[]): string {
  return steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
}
