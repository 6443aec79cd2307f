import type { RequestContext } from '../../contracts/context.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { Schema } from '../../contracts/json-schema.ts';
import type { CallEvent } from './stream-call.ts';

export interface CallInput {
  readonly input: JsonObject;
  /** What the caller wants the output to look like, beyond what a stored function says. */
  readonly output?: Schema;
  /** `<provider>/<model_name>`, or `auto`. */
  readonly model?: string;
  /** As in `RequestContext`. */
  readonly cache?: NonNullable<RequestContext['cache']>;
  /** Written into the log with the call, and nowhere else. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The answer to a call by name. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** `stored`: a function was executed; `generated`: a model answered; `cache`: a model did so before. */
  readonly source: 'stored' | 'generated' | 'cache';
  readonly functionId: string | null;
  readonly executionId: string | null;
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** Of what a model answered. */
  readonly model?: string;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly warnings: readonly string[];
  readonly createdAt: string;
  readonly completedAt: string;
}

/** A streamed call, once there is something to see, or all of it. */
export interface StreamedCall {
  readonly id: string;
  readonly createdAt: string;
  /** Throws where the call fails after all; ending the iteration ends the call. */
  readonly events: AsyncIterable<CallEvent>;
}

/** Calls by name, for clients that do not know what implements a function. */
export interface CallService {
  /**
   * Execute the stored function of this name, else of this key; where there is none, have a model answer, as far as the
   * policy for such calls goes.
   *
   * @throws PatchbayError `ambiguous_function_name`; `function_not_found` with the nearest names; `schema_invalid`;
   *   `function_output_invalid` where the output does not have the declared shape; `insufficient_scope` where a model
   *   would have to answer and the caller may not use one; what executing and generating throw.
   */
  call(name: string, input: CallInput, context: RequestContext): Promise<Call>;
  /** Whether a stored function has this name or key, so that a call of it is an execution. */
  isStored(name: string, context: Pick<RequestContext, 'caller'>): Promise<boolean>;
  /**
   * The same, whose output can be seen while a model writes it. The output of code is there at its end only.
   *
   * @throws PatchbayError as `call`, for what fails before there is something to see.
   */
  stream(name: string, input: CallInput, context: RequestContext): Promise<StreamedCall>;
}
