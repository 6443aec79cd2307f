import type { Client, FunctionSummary } from '@patchbay/client';
import { listStored } from './stored-functions.ts';

/** No function has this name, or several. Named as the server would name it, so that both end the command alike. */
export class NameError extends Error {
  override readonly name = 'NameError';
  readonly code: 'function_not_found' | 'ambiguous_function_name';

  constructor(code: NameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The id of a function that is named by its id or name. @throws NameError */
export async function findStored(client: Client, given: string, signal: AbortSignal): Promise<string> {
  if (/^function_[0-9a-z]{26}$/.test(given)) return given;
  const found = withName(await listStored(client, signal), given);
  if (found) return found.id;
  throw new NameError('function_not_found', `there is no function with the name ${JSON.stringify(given)}`);
}

/** The only function with this name, or with this key, where none has the name. @throws NameError for several. */
export function withName(all: readonly FunctionSummary[], given: string): FunctionSummary | undefined {
  const named = all.filter(({ name }) => name === given);
  const found = named.length > 0 ? named : all.filter(({ name }) => keyOf(name) === given);
  if (found.length < 2) return found[0];
  const ids = found.map(({ id }) => id).join(', ');
  throw new NameError('ambiguous_function_name', `several functions are called ${JSON.stringify(given)}: ${ids}`);
}

/** The name as an identifier, as the server makes it: `summarizeText` for `Summarize Text`. */
export function keyOf(name: string): string {
  const [first = '', ...others] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const capitalized = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return first.charAt(0).toLowerCase() + first.slice(1) + capitalized.join('');
}
