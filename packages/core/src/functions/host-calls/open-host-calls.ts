import { jsonTextOf, readJson } from '@patchbay/contracts/base/json-text';
import type { RequestContext, Trial } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { HostCalls } from '@patchbay/contracts/executor';
import type { JsonValue } from '@patchbay/contracts/json';
import type { OperationClass } from '@patchbay/contracts/limits';
import type { FunctionRow } from '@patchbay/contracts/rows';
import type { Scope } from '@patchbay/contracts/scopes';
import { authorize } from '../../access/callers.ts';
import type { TokenCounts } from '../../gateway/gateway-service.ts';
import type { ParentSlot, RequestLimits } from '../../limits/request-limits.ts';

/**
 * Serves one kind of host call. `given` is the unchecked argument of the code; the context is that of the run, with a signal
 * that also ends with the call.
 *
 * @throws PatchbayError The contract of `HostCalls` defines which members the code receives.
 */
export type ServeCall = (given: JsonValue, context: RequestContext) => Promise<unknown>;

/** A host call that can be served. */
export interface ServedCall {
  readonly serve: ServeCall;
  /** Maximum size of the arguments in bytes of JSON: that of the body of the same request made from outside. */
  readonly maxBytes: number;
  /** The scope and limit of the same request from outside. Absent for calls that are not requests to Patchbay. */
  readonly request?: { readonly scope: Scope; readonly limit: OperationClass };
}

/** The calls of one run, by name. */
export type ServedCalls = ReadonlyMap<string, ServedCall>;

/** The host calls of one run, open for as long as it lasts. */
interface OpenHostCalls {
  readonly host: HostCalls;
  /** Tokens of the models that the code has called; undefined if it has called none. */
  tokens(): TokenCounts | undefined;
  /** Abort pending calls, and wait until they have ended. */
  close(): Promise<void>;
}

/** The run whose calls are served. */
interface CallingRun {
  readonly row: FunctionRow;
  readonly executionId: string;
  readonly context: RequestContext;
  /** The only calls that the run can make. Default: those of functions. */
  readonly calls?: ServedCalls;
}

export type OpenHostCallsFor = (run: CallingRun) => OpenHostCalls;

interface ServedRun {
  readonly calls: ServedCalls;
  readonly secrets: Readonly<Record<string, string>>;
  /** Release resources shared by the calls of the run. */
  readonly close?: () => void;
}

interface HostCallsOptions {
  /** Maximum number of calls per run. */
  readonly maxCalls: number;
  /** Those in force. */
  readonly limits: () => RequestLimits;
  /** The calls of runs without grants, which share them. */
  readonly usual: ServedRun;
  /** Those of a run with grants. Undefined: it has none. Absent: no function has any. */
  readonly granted?: ((run: CallingRun) => ServedRun | undefined) | undefined;
}

/** Serve the host calls of runs, each with the caller of its run, until the run ends. */
export function createHostCalls({ maxCalls, limits, usual, granted }: HostCallsOptions): OpenHostCallsFor {
  return (run) => {
    const { row, executionId, context } = run;
    const { calls, secrets, close }: ServedRun = run.calls
      ? { calls: run.calls, secrets: {} }
      : (granted?.(run) ?? usual);
    const over = new AbortController();
    let isOver = false;
    const underWay = new Set<Promise<string>>();
    let tokens: TokenCounts | undefined;
    const parent: ParentSlot = { isLent: false };
    const execution = { id: executionId, functionId: row.id, depth: (context.execution?.depth ?? 0) + 1 };

    const answer = async (name: string, argumentsJson: string, signal: AbortSignal): Promise<string> => {
      if (isOver) throw ended();
      const served = calls.get(name);
      if (!served) throw new PatchbayError('invalid_request', `there is no call "${name.slice(0, 100)}"`);
      const joined = AbortSignal.any([context.signal, over.signal, signal]);
      joined.throwIfAborted();
      const serve = async (): Promise<string> => {
        checkLength(argumentsJson, served.maxBytes);
        const { value: given } = await readJson(argumentsJson, 'the document of the arguments');
        const result = await served.serve(given, {
          ...context,
          execution,
          call: undefined,
          // The functions that a trial calls run with their own settings.
          ...(context.trial && { trial: withinTrial(context.trial) }),
          signal: joined,
        });
        if (served.request?.limit === 'model') tokens = sumOf(tokens, result as Partial<TokenCounts>);
        return jsonTextOf(result);
      };
      if (!served.request) return await serve();
      const { scope, limit } = served.request;
      authorize(context.caller, scope);
      const { refusal } = await limits().admit(context.caller, limit);
      if (refusal) throw refusal;
      // The run itself holds only an execution slot.
      const lent = limit === 'execute' ? parent : undefined;
      const slot = await limits().wait(context.caller, limit, joined, lent);
      try {
        return await serve();
      } finally {
        slot.leave();
      }
    };
    const call: HostCalls['call'] = (name, argumentsJson, signal) => {
      const answered = answer(name, argumentsJson, signal).catch((error: unknown) => {
        if (PatchbayError.is(error)) throw error;
        if (over.signal.aborted || signal.aborted || context.signal.aborted) throw ended();
        context.logger.error('a call made by a function failed', { executionId, call: name, error });
        throw new PatchbayError('internal_error', 'the call could not be served', { cause: error });
      });
      const tracked = answered.finally(() => underWay.delete(tracked));
      underWay.add(tracked);
      return tracked;
    };
    return {
      host: { maxCalls, secrets, call },
      tokens: () => tokens,
      async close() {
        isOver = true;
        if (underWay.size > 0) over.abort(ended());
        await Promise.allSettled(underWay);
        close?.();
      },
    };
  };
}

const withinTrial = ({ content }: Trial): Trial => (content === undefined ? {} : { content });

/** Embeddings have no completion: their `tokens` are those of the prompt. */
function sumOf(
  { promptTokens, completionTokens, totalTokens }: TokenCounts = noTokens,
  { tokens = 0, ...more }: Partial<TokenCounts & { readonly tokens: number }>,
): TokenCounts {
  return {
    promptTokens: promptTokens + (more.promptTokens ?? tokens),
    completionTokens: completionTokens + (more.completionTokens ?? 0),
    totalTokens: totalTokens + (more.totalTokens ?? tokens),
  };
}

const noTokens: TokenCounts = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** @throws PatchbayError `body_too_large`. */
function checkLength(text: string, maxBytes: number): void {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return;
  throw new PatchbayError('body_too_large', `the arguments exceed ${maxBytes} bytes`);
}

const ended = (): PatchbayError => new PatchbayError('client_closed_request', 'the call was cancelled');
