import type { RequestContext } from '@patchbay/contracts/context';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatResult } from '@patchbay/contracts/provider';
import type { CallOutcome } from '@patchbay/contracts/rows';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { AnswerHead } from './answers.ts';
import type { AnswerPart, Conversation, OpenStream } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import type { CallResponse } from './call-content.ts';
import type { DeadlineContext } from './deadline.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { ModelChoice, Resumed, TokenCounts } from './gateway-service.ts';
import type { CatalogModel, ResolvedChoice, ResolveModel } from './model-catalog.ts';
import type { Requirements } from './requirements.ts';
import type { Batched } from './stream-events.ts';

/** The result of a model, or its open stream. */
export interface Answered<T> {
  readonly value: T;
  readonly model: CatalogModel;
  readonly head: AnswerHead;
}

/** A request that a model responds to; a stream after its first output. */
export interface Opened<T> extends Answered<T> {
  readonly operation: GatewayOperation;
  readonly deadline: DeadlineContext;
  /** Record the end of the call. Only the first one counts. */
  readonly ended: (outcome: CallOutcome, tokens?: Partial<TokenCounts>, response?: CallResponse) => void;
  readonly failed: (error: unknown) => void;
  /** The stream is over, or its caller has left it. May be called repeatedly. */
  readonly close: () => void;
  /**
   * Call the models that are left, after the stream was interrupted.
   *
   * @param carryOut Undefined if none can continue what was sent.
   * @returns undefined if none continues.
   */
  readonly resume: <U>(
    failure: PatchbayError,
    carryOut: ((call: ModelCall) => Promise<U>) | undefined,
  ) => Promise<Answered<U> | undefined>;
}

/** The parts in which operations differ: one call of a model, and the response made from its result. */
export interface Task<T, A extends CompletedAnswer> {
  readonly needs: Requirements;
  ask(call: ModelCall): Promise<T>;
  readonly outputTokens: (result: T) => number;
  /** Whether the model did not succeed immediately. Default: it always does. */
  readonly isRepaired?: (result: T) => boolean;
  toAnswer(head: AnswerHead, result: T): A;
}

/** A task whose output can be streamed. */
export interface StreamedTask<P, T, A extends CompletedAnswer> extends Task<T, A> {
  read(call: ModelCall): AsyncGenerator<readonly P[], T>;
  /** The parts for the caller, which another model may continue. */
  partsOf(opened: Opened<OpenStream<readonly P[], T>>): AsyncGenerator<readonly (P | Resumed)[], T>;
}

/** A task whose output is text, which another model can continue. */
export interface TextTask<A extends CompletedAnswer> extends StreamedTask<AnswerPart, ChatResult, A> {
  readonly conversation: Conversation;
  /** The parts that follow a text which the model is to continue. */
  continueFrom(call: ModelCall, text: string): AsyncGenerator<readonly AnswerPart[], ChatResult>;
}

type Asking<T> = readonly [
  operation: GatewayOperation,
  choice: ResolvedChoice<ModelChoice>,
  needs: Requirements,
  context: RequestContext,
  carryOut: (call: ModelCall) => Promise<T>,
];

/** The steps that every request takes. */
export interface Pipeline {
  readonly resolveModel: ResolveModel;
  /** Plan, and call models until one responds. */
  readonly tryModels: <T>(...asking: Asking<T>) => Promise<Opened<T>>;
  /** The same for a stream, whose deadline continues after its commit point. */
  readonly openModels: <T>(...asking: Asking<T>) => Promise<Opened<T>>;
  /** Whether the response of a request is stored, so that a forwarded one must be collected. */
  readonly collects: (context: RequestContext) => boolean;
  /** @param response Default: the answer. */
  readonly completed: <A extends CompletedAnswer>(
    opened: Opened<unknown>,
    answer: A,
    isRepaired?: boolean,
    response?: CallResponse,
  ) => A;
  readonly failed: (opened: Opened<unknown>, error: unknown) => void;
  /** The response of an open stream, whose last event is the answer. Its end is reported, and closes the deadline. */
  readonly streamedAnswer: <P extends object, E, T, A extends CompletedAnswer>(
    opened: Opened<unknown>,
    task: Pick<StreamedTask<P, T, A>, 'toAnswer' | 'isRepaired'>,
    parts: AsyncGenerator<readonly (P | Resumed)[], T>,
    toEvent: (part: P) => E | undefined,
  ) => AnswerHead & { readonly events: Batched<E | Resumed | { readonly done: A }> };
  /** Report the failure of a request. @returns the error. */
  readonly reported: (operation: GatewayOperation, context: RequestContext, error: unknown) => unknown;
}
