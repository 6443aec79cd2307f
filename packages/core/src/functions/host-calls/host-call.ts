import type { RequestContext } from '../../contracts/context.ts';
import type { JsonValue } from '../../contracts/json.ts';
import type { OperationClass } from '../../contracts/limits.ts';
import type { Scope } from '../../contracts/scopes.ts';

/**
 * Serves one kind of call. `given` is what the code sent, of any shape; the context is that of the run, with a signal
 * that also ends with the call.
 *
 * @throws PatchbayError What of it the code may see is in the contract of `HostCalls`.
 */
export type ServeCall = (given: JsonValue, context: RequestContext) => Promise<unknown>;

/** A call that can be made. */
export interface ServedCall {
  readonly serve: ServeCall;
  /** Bytes of JSON that the arguments may have: those of the body of the same request from outside. */
  readonly maxBytes: number;
  /** What the same request from outside needs and counts as. Absent: it is no request to Patchbay. */
  readonly request?: { readonly scope: Scope; readonly limit: OperationClass };
}

/** The calls of one run, by name. */
export type ServedCalls = ReadonlyMap<string, ServedCall>;
