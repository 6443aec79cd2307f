import {
  CapturedError,
  encode,
  isArray,
  isFiniteNumber,
  isRawJSON,
  parseJson,
  stringifyJson,
  toText,
} from './captured.js';

/** @typedef {{ readonly bytes: Uint8Array } | { readonly reason: string; readonly message: string }} Output */

/**
 * Names what JSON would drop or turn into something else.
 *
 * @param {unknown} value
 * @param {boolean} inArray
 * @returns {string | undefined}
 */
function fault(value, inArray) {
  switch (typeof value) {
    case 'number':
      return isFiniteNumber(value) ? undefined : `is ${toText(value)}`;
    case 'bigint':
      return 'is a BigInt';
    case 'function':
      return 'is a function';
    case 'symbol':
      return 'is a symbol';
    case 'undefined':
      return inArray ? 'is undefined' : undefined;
    case 'object':
      // Text that is written as it is: a number in it may be beyond what numbers hold.
      return isRawJSON(value) ? fault(parseJson(value.rawJSON), inArray) : undefined;
    default:
      return undefined;
  }
}

/**
 * The output as JSON text, or why it has none. An `undefined` member is left out, as everywhere in JavaScript; what
 * else JSON cannot hold is refused rather than lost.
 *
 * @param {unknown} value
 * @param {number} limit Bytes.
 * @param {'returned' | 'yielded'} [how]
 * @returns {Output}
 */
export function serialiseOutput(value, limit, how = 'returned') {
  const reason = 'output_unserializable';
  if (typeof value !== 'object' || value === null) {
    return { reason, message: `The function ${how} ${value === null ? 'null' : typeof value}, not an object` };
  }
  const tooLarge = { reason: 'output_too_large', message: `The output has more than ${limit} bytes` };
  let refusal = '';
  // Every character takes a byte or more. A text that is far too long must not be copied to find that out: the copies
  // would be more than the memory of the process, which then ends without a word.
  let room = limit;
  /** @type {string | undefined} */
  let text;
  try {
    text = stringifyJson(
      value,
      /**
       * @this {unknown}
       * @param {string} key
       * @param {unknown} member
       */
      function check(key, member) {
        const found = fault(member, isArray(this));
        if (typeof member === 'string') room -= member.length;
        if (room < 0) throw new CapturedError('too large');
        if (found === undefined) return member;
        refusal = `${isArray(this) ? `Item ${key}` : key === '' ? 'The output' : `Member "${key}"`} ${found}`;
        throw new CapturedError(refusal);
      },
    );
  } catch (error) {
    if (room < 0) return tooLarge;
    return { reason, message: refusal === '' ? describeFailure(error) : refusal };
  }
  if (text === undefined || text[0] !== '{') return { reason, message: `The function ${how} no object` };
  if (text.length > limit) return tooLarge;
  const bytes = encode(text);
  return bytes.length > limit ? tooLarge : { bytes };
}

/** @param {unknown} error */
function describeFailure(error) {
  try {
    // The first line: V8 draws the way of a cycle below it.
    const message = toText(/** @type {Error} */ (error).message);
    return `The output cannot be written as JSON: ${message}`;
  } catch {
    return 'The output cannot be written as JSON';
  }
}
