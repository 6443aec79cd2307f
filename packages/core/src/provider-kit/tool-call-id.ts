import { createHash } from 'node:crypto';

/**
 * An id of a tool call in a form that every vendor takes: letters, digits, `_` and `-`, at most 40 of them.
 *
 * A conversation may go on with another vendor than the one that gave the id. What does not fit is replaced by its
 * hash, so that a call and its result keep belonging together.
 *
 * @example
 * ```ts
 * import { portableToolCallId } from '@patchbay/core/provider';
 *
 * console.log(portableToolCallId('call_1')); // call_1
 * ```
 */
export function portableToolCallId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
