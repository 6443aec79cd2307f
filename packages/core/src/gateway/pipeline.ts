import type { RequestContext } from '../contracts/context.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { AnswerHead } from './answers.ts';
import type { ModelCall } from './attempt.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { ModelChoice } from './gateway-service.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { ResolvedChoice, ResolveModel } from './model-names.ts';
import type { Requirements } from './plan.ts';

/** The result of a model, or its open stream. */
export interface Answered<T> {
  readonly value: T;
  readonly model: CatalogModel;
  readonly route: string;
}

/** The parts in which operations differ: one call of a model, and the response made from its result. */
export interface Task<T, A extends CompletedAnswer> {
  readonly needs: Requirements;
  ask(call: ModelCall): Promise<T>;
  readonly outputTokens: (result: T) => number;
  toAnswer(head: AnswerHead, result: T): A;
}

/** A task whose output can be streamed. */
export interface StreamedTask<P, T, A extends CompletedAnswer> extends Task<T, A> {
  read(call: ModelCall): AsyncGenerator<P, T>;
}

/** The steps that every request takes. */
export interface Pipeline {
  readonly resolveModel: ResolveModel;
  /** Plan, and call models until one responds. The deadline of a stream continues after its commit point. */
  readonly tryModels: <T>(
    choice: ResolvedChoice<ModelChoice>,
    needs: Requirements,
    context: RequestContext,
    carryOut: (call: ModelCall) => Promise<T>,
    isStream?: boolean,
  ) => Promise<Answered<T>>;
  readonly headOf: (operation: GatewayOperation, answered: Answered<unknown>) => AnswerHead;
  readonly completed: <A extends CompletedAnswer>(operation: GatewayOperation, context: RequestContext, answer: A) => A;
  readonly failed: (operation: GatewayOperation, context: RequestContext, error: unknown) => void;
  /** Run a request, and report its failure. */
  readonly reporting: <A>(operation: GatewayOperation, context: RequestContext, work: () => Promise<A>) => Promise<A>;
}
