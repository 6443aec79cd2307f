import { createTimestamps } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { Router } from '@patchbay/contracts/router';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { answerHead, createCallEnd, routeHeader } from './answers.ts';
import { openStream } from './ask-model.ts';
import { attempt, createRetryBudget, type ModelCall } from './attempt.ts';
import { createDeadlineContext, defaultFallbackAfter, type FallbackAfter, patient } from './deadline.ts';
import type { Deployments } from './deployments.ts';
import type { CompletedAnswer, GatewayListener } from './gateway-listener.ts';
import type { GatewayService, ModelChoice } from './gateway-service.ts';
import { type CatalogModel, createResolveModel, type ModelAliases, type ModelCatalog } from './model-catalog.ts';
import type { TaskRecords } from './model-performance/task-records.ts';
import type { Pipeline, StreamedTask, Task } from './pipeline.ts';
import { explainPlan, makePlan, type Plan } from './plan.ts';
import type { ReceivedIds } from './received-ids.ts';
import { createRelay } from './relay.ts';
import {
  chatRequirements,
  conversationOf,
  embedRequirements,
  forTask,
  inConversation,
  taskOf,
} from './requirements.ts';
import type { SessionAffinity } from './session-affinity.ts';
import { Batched, chatPieces, streamEvents, textDelta } from './stream-events.ts';
import { createTasks } from './tasks.ts';
import { tryOthers } from './try-others.ts';

export interface GatewayDependencies {
  readonly catalog: ModelCatalog;
  readonly deployments: Deployments;
  /** Absent: models are called in the order of the config. */
  readonly router: Router | undefined;
  readonly schemas: SchemaService;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds for one request, across all attempts. */
  readonly timeoutMs: number;
  readonly fallbackAfter?: FallbackAfter;
  readonly listener?: GatewayListener;
  /** Default: none. */
  readonly aliases?: ModelAliases | undefined;
  /** Whether callers may use tools that vendors run. Default: false. */
  readonly vendorTools?: boolean;
  readonly receivedIds: ReceivedIds;
  readonly affinity: SessionAffinity;
  readonly records: Pick<TaskRecords, 'add' | 'find'>;
}

/**
 * Every request takes the same steps: it becomes a task with requirements, a plan selects the models that can serve it
 * (`plan.ts`), they are called in order until one responds (`attempt.ts`, `ask-model.ts`), its result becomes the response,
 * and the listener records it.
 */
export function createGatewayService(dependencies: GatewayDependencies): GatewayService {
  const { catalog, clock, timeoutMs, listener } = dependencies;
  const resolveModel = createResolveModel(catalog, dependencies.aliases);
  const { chatTask, generateTask, embedTask, callTask, objectTask } = createTasks(dependencies);
  const { fallbackAfter = defaultFallbackAfter } = dependencies;
  const timestamp = createTimestamps(clock);
  const attempting = { ...dependencies, listener, fallbackAfter, retryBudget: createRetryBudget() };

  const openModels: Pipeline['openModels'] = async (operation, choice, needs, context, carryOut) => {
    const planned = makePlan(dependencies, choice, needs, context);
    const plan = planned instanceof Promise ? await planned : planned;
    const deadline = createDeadlineContext(context, timeoutMs, clock);
    const resumes = choice.routing?.onInterrupt !== 'error';
    const call = { operation, plan, alias: choice.alias, request: choice };
    const end = createCallEnd(needs.isCount ? undefined : listener, clock, call, deadline.context);
    const open: typeof carryOut = (call) => carryOut(resumes ? call : { ...call, silence: patient(call.silence) });
    try {
      const { value, model, failed } = await attempt(attempting, plan, deadline, open);
      end.opened();
      const chosen = { plan, model: model.id, failed, alias: choice.alias };
      const stream = { model, failed, models: plan.models, deadline };
      // Not awaited: it never fails, and the response does not depend on it.
      void plan.session?.remember(model.id);
      const leftOut = needs.leftOut?.(model) ?? [];
      const warnings = [...movedWarning(plan, model), ...(leftOut instanceof Promise ? await leftOut : leftOut)];
      const route = routeHeader(chosen);
      const head = answerHead(operation, { model: model.id, createdAt: timestamp(), route, warnings });
      listener?.answered(context, { model: model.id, chosenBy: plan.chosenBy, failed });
      let answer = { id: head.id, model: model.id, failed };
      return {
        value,
        model,
        head,
        operation,
        deadline,
        ended: (outcome, tokens, response) => end.answered(answer, outcome, tokens, response),
        failed: (error) => end.failed(error, answer),
        close() {
          // If it has not ended, its caller has disconnected.
          end.answered(answer, 'cancelled');
          deadline.close();
        },
        async resume(failure, next) {
          const again = await tryOthers(attempting, stream, failure, resumes ? next : undefined);
          if (!again) return undefined;
          const { value: continued, model: other, failed: all } = again;
          answer = { ...answer, failed: all };
          void plan.session?.remember(other.id);
          const route = routeHeader({ ...chosen, failed: all, resumed: other.id });
          const left = (await needs.leftOut?.(other)) ?? [];
          return { value: continued, model: other, head: { ...head, route, warnings: [...warnings, ...left] } };
        },
      };
    } catch (error) {
      deadline.close();
      if (!context.signal.aborted) listener?.unanswered(error);
      end.failed(error);
      throw error;
    }
  };
  const tryModels: Pipeline['tryModels'] = async (...asking) => {
    const opened = await openModels(...asking);
    opened.deadline.close();
    return opened;
  };

  const completed: Pipeline['completed'] = (opened, answer, isRepaired = false, response = { answer }) => {
    opened.ended(isRepaired ? 'repaired' : 'completed', 'tokens' in answer ? undefined : answer, response);
    listener?.completed(opened.operation, opened.deadline.context, answer);
    return answer;
  };
  const failed: Pipeline['failed'] = (opened, error) => {
    opened.failed(error);
    listener?.failed(opened.operation, opened.deadline.context, error);
  };
  const reported: Pipeline['reported'] = (operation, context, error) => {
    listener?.failed(operation, context, error);
    return error;
  };
  const streamedAnswer: Pipeline['streamedAnswer'] = (opened, task, parts, toEvent) => {
    const { head, close } = opened;
    const events = streamEvents(parts, {
      toEvent,
      finish: (result, route = head.route) =>
        completed(opened, task.toAnswer({ ...head, route }, result), task.isRepaired?.(result)),
      failed: (error) => failed(opened, error),
      over: close,
    });
    return { ...head, events: new Batched(events) };
  };
  const collects: Pipeline['collects'] = (context) => listener?.collects(context) ?? false;
  const pipeline: Pipeline = {
    collects,
    resolveModel,
    tryModels,
    openModels,
    completed,
    failed,
    streamedAnswer,
    reported,
  };

  /** Run a task, and return its complete response. */
  const inOnePiece = async <I extends ModelChoice, T, A extends CompletedAnswer>(
    operation: GatewayOperation,
    input: I,
    context: RequestContext,
    prepare: (input: I) => Task<T, A> | Promise<Task<T, A>>,
  ): Promise<A> => {
    try {
      const choice = resolveModel(input, context.caller.tenant);
      const prepared = prepare(choice);
      const task = prepared instanceof Promise ? await prepared : prepared;
      const answered = await openModels(operation, choice, task.needs, context, async (call) => {
        const result = await task.ask(call);
        call.meter.succeeded(task.outputTokens(result));
        return result;
      });
      answered.deadline.close();
      const { head, value } = answered;
      return completed(answered, task.toAnswer(head, value), task.isRepaired?.(value));
    } catch (error) {
      throw reported(operation, context, error);
    }
  };

  /** Run a task, and return its response as a stream. Resolves at the first output. */
  const streamed = async <I extends ModelChoice, P extends object, E, T, A extends CompletedAnswer>(
    operation: GatewayOperation,
    input: I,
    context: RequestContext,
    prepare: (input: I) => StreamedTask<P, T, A> | Promise<StreamedTask<P, T, A>>,
    toEvent: (part: P) => E | undefined,
  ) => {
    try {
      const choice = resolveModel(input, context.caller.tenant);
      const task = await prepare(choice);
      const open = (call: ModelCall) => openStream(task.read(call), call, task.outputTokens);
      const opened = await openModels(operation, choice, task.needs, context, open);
      return streamedAnswer(opened, task, task.partsOf(opened), toEvent);
    } catch (error) {
      throw reported(operation, context, error);
    }
  };

  const { vendorTools = false, receivedIds } = dependencies;
  const relay = createRelay({ catalog, receivedIds, vendorTools, pipeline });

  return {
    models: ({ caller }) => catalog.models.filter((model) => catalog.mayUse(caller.tenant, model)),
    model: (id, { caller }) => catalog.find(id, caller.tenant),
    aliases: () => dependencies.aliases ?? {},
    executes: () => false,
    chat: (input, context) => inOnePiece('chat', input, context, (choice) => chatTask(choice, context)),
    streamChat: (input, context) =>
      streamed('chat', input, context, (choice) => chatTask(choice, context), chatPieces()),
    generate: (input, context) => inOnePiece('generate', input, context, generateTask),
    streamGenerate: (input, context) => streamed('generate', input, context, generateTask, textDelta),
    async embed({ text, ...choice }, context) {
      const { embeddings, ...answer } = await inOnePiece('embed', { ...choice, texts: [text] }, context, embedTask);
      return { ...answer, embedding: embeddings[0] ?? [] };
    },
    embedMany: (input, context) => inOnePiece('embed', input, context, embedTask),
    generateFunctionCall: (input, context) =>
      inOnePiece('generateFunctionCall', input, context, (choice) => callTask(choice, context)),
    streamFunctionCall: (input, context) =>
      streamed(
        'generateFunctionCall',
        input,
        context,
        (choice) => callTask(choice, context),
        (piece) => piece,
      ),
    relayChat: ({ translate, ...request }, context) =>
      relay.whole('chat', { ...request, prepare: async () => chatTask(translate(), context) }, context),
    relayStreamedChat: ({ translate, ...request }, context) =>
      relay.streamedChat({ ...request, prepare: async () => chatTask(translate(), context) }, context),
    async relayTokenCount(request, context) {
      const counted = await relay.counted(request, context);
      if (counted) return counted;
      const choice = resolveModel(request, context.caller.tenant);
      // An estimate needs no model, but is refused where the message would be.
      await makePlan(dependencies, choice, chatRequirements({ messages: [] }, choice.routing), context);
      return undefined;
    },
    relayEmbedding: ({ translate, ...request }, context) =>
      relay.whole('embed', { ...request, prepare: async () => embedTask(translate()) }, context),
    generateObject: (input, context, watcher) =>
      inOnePiece('generateObject', input, context, (choice) => objectTask(choice, context, watcher)),

    async explain(given, context) {
      const input = resolveModel(given, context.caller.tenant);
      const { routing } = input;
      const conversation = 'messages' in input ? conversationOf(input) : { messages: [] };
      const embeds = routing?.capabilities?.includes('embeddings') ?? false;
      const task = taskOf(input);
      const chat = chatRequirements(conversation, routing);
      if (task) return await explainPlan(dependencies, input, forTask(chat, task), context);
      const needs = embeds ? embedRequirements('', routing) : inConversation(chat, conversation);
      return await explainPlan(dependencies, input, needs, context);
    },
  };
}

function movedWarning({ heldBy }: Plan, { id }: CatalogModel): readonly string[] {
  return heldBy === undefined || heldBy === id ? [] : [`the conversation moved from ${heldBy} to ${id}`];
}
