import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { JsonValue } from '../../contracts/json.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { ExecutionService } from '../execution-service.ts';
import { findByName } from '../find-by-name.ts';
import type { ServedCalls } from './host-call.ts';
import { isObject } from './read-arguments.ts';

/** How many executions may wait for each other, the first included. */
export const MAX_CALL_DEPTH = 8;

/** Bytes of a call, as of the body of an execution. */
const MAX_BYTES = 1_048_576;

/** Other functions of the tenant for code, run as its own caller. */
export function functionCalls(storage: Storage, execute: ExecutionService['execute']): ServedCalls {
  const serve = async (given: JsonValue, context: RequestContext) => {
    const { function: name, input } = readCall(given);
    if ((context.execution?.depth ?? 0) >= MAX_CALL_DEPTH) {
      throw new PatchbayError('call_depth_exceeded', `functions call each other at most ${MAX_CALL_DEPTH} deep`);
    }
    const { output } = await execute(await findId(storage, name, context), input, context);
    return output;
  };
  const request = { scope: 'functions:execute', limit: 'execute' } as const;
  return new Map([['functions.call', { request, maxBytes: MAX_BYTES, serve }]]);
}

function readCall(given: JsonValue) {
  const { function: name, input } = isObject(given) ? given : {};
  const fault = (pointer: string, detail: string) =>
    new PatchbayError('invalid_request', `a call needs the name of a function and its input: ${detail}`, {
      errors: [{ pointer, code: 'type', detail }],
    });
  if (typeof name !== 'string') throw fault('/function', 'the name must be a string');
  if (!isObject(input)) throw fault('/input', 'the input must be an object');
  return { function: name, input };
}

/**
 * The id of the function that has this id, else of the only one that has this name, or this key.
 *
 * @throws PatchbayError `function_not_found`, `ambiguous_function_name`.
 */
async function findId(storage: Storage, name: string, { caller: { tenant } }: RequestContext): Promise<string> {
  // An id is at most as long as what a storage compares; a name is too.
  const found = name.length <= 255 ? await storage.get(tenant, 'functions', name) : undefined;
  const id = found?.id ?? (await findByName(storage, tenant, name));
  if (id !== undefined) return id;
  throw new PatchbayError('function_not_found', `there is no function "${name.slice(0, 200)}"`);
}
