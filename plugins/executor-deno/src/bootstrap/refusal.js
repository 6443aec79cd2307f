import { apply, defineProperty, parseJson, slice } from './captured.js';

/**
 * The error of a call that the host refused: with the host's sentence, its `code`, and the stack of the
 * place that called.
 *
 * @param {Error} error
 * @param {string} json
 */
export function describeRefusal(error, json) {
  const { code, message, retryable = false, errors = [] } = parseJson(json);
  const { stack } = error;
  add(error, 'message', message, false);
  if (typeof stack === 'string')
    add(error, 'stack', `Error: ${message}${apply(slice, stack, ['Error'.length])}`, false);
  add(error, 'code', code, true);
  add(error, 'retryable', retryable, true);
  add(error, 'errors', errors, true);
  return error;
}

/**
 * @param {Error} error
 * @param {string} name
 * @param {unknown} value
 * @param {boolean} enumerable
 */
function add(error, name, value, enumerable) {
  const descriptor = { __proto__: null, value, enumerable, writable: true, configurable: true };
  defineProperty(error, name, /** @type {PropertyDescriptor} */ (descriptor));
}
