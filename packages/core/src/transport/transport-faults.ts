import { PatchbayError } from '../contracts/errors.ts';
import { providerError } from '../contracts/provider-error.ts';

/** What undici calls a request that it will not send, such as one with a line break in a header. */
const unsendable: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** The error that `fetch` throws for one of the connection. */
export function transportFault(error: unknown, answered: boolean): Error {
  if (PatchbayError.is(error)) return error;
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  if (unsendable.has(code)) return new TypeError(`the request cannot be sent: ${message}`, { cause: error });
  if (code === 'ETIMEDOUT') return providerError('timeout', 'the connection to the model provider went silent');
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return providerError('bad_response', 'the model provider does not speak proper HTTP', { cause: error });
  }
  return answered
    ? providerError('bad_response', 'the model provider cut its answer off', { cause: error })
    : providerError('unreachable', 'the model provider cannot be reached', { cause: error });
}
