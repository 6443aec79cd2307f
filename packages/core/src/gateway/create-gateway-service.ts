import { jsonTextOf } from '../base/json-text-of.ts';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ChatResult } from '../contracts/provider.ts';
import type { Router } from '../contracts/router.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { checkEmbedding } from '../provider-kit/token-usage.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import {
  type AnswerHead,
  answerHead,
  chatAnswer,
  functionCallAnswer,
  generateAnswer,
  objectAnswer,
  outputTokens,
  routeHeader,
} from './answers.ts';
import { askModel, type Conversation, streamModel } from './ask-model.ts';
import { attempt, createRetryBudget, type ModelCall } from './attempt.ts';
import { checkMessages } from './check-gateway-input.ts';
import { createDeadlineContext } from './deadline.ts';
import type { Deployments } from './deployments.ts';
import { callConversation, callWithRepair, openFunctionCall } from './function-call.ts';
import type { CompletedAnswer, GatewayListener } from './gateway-listener.ts';
import type {
  ChatAnswer,
  ChatInput,
  GatewayService,
  GenerateAnswer,
  GenerateInput,
  ModelChoice,
} from './gateway-service.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import { askForObject, type ObjectTask } from './object/ask-for-object.ts';
import { createTaskFits, noteFit } from './object/task-fits.ts';
import { chatRequirements, embedRequirements, explainPlan, makePlan, type Requirements, samplingOf } from './plan.ts';

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
  readonly listener?: GatewayListener;
}

/** The result of a model, or its open stream. */
interface Answered<T> {
  readonly value: T;
  readonly model: CatalogModel;
  readonly route: string;
}

/**
 * Every request takes the same steps: it becomes a conversation with requirements, a plan selects the models that can serve
 * it (`plan.ts`), they are called in order until one responds (`attempt.ts`, `ask-model.ts`), its result becomes the response
 * (`answers.ts`), and the listener records it. Interfaces for other APIs map to `complete` and `stream`.
 */
export function createGatewayService(dependencies: GatewayDependencies): GatewayService {
  const { catalog, schemas, clock, timeoutMs, listener } = dependencies;
  const fits = createTaskFits(clock);
  const planning = { ...dependencies, fits };
  const attempting = { ...dependencies, retryBudget: createRetryBudget() };

  /** Plan, and call models until one responds. The deadline of a stream continues after its commit point. */
  const tryModels = async <T>(
    choice: ModelChoice,
    needs: Requirements,
    context: RequestContext,
    carryOut: (call: ModelCall) => Promise<T>,
    isStream = false,
  ): Promise<Answered<T>> => {
    const plan = await makePlan(planning, choice, needs, context);
    const deadline = createDeadlineContext(context, timeoutMs, clock);
    let isOpen = false;
    try {
      const { value, model, failed } = await attempt(attempting, plan.models, deadline, carryOut);
      isOpen = isStream;
      listener?.answered(context, { model: model.id, chosenBy: plan.chosenBy, failed });
      return { value, model, route: routeHeader(plan, model.id, failed) };
    } catch (error) {
      if (!context.signal.aborted) listener?.unanswered(error);
      throw error;
    } finally {
      if (!isOpen) deadline.close();
    }
  };

  /** Complete a conversation. */
  const complete = (choice: ModelChoice, conversation: Conversation, context: RequestContext) =>
    tryModels(choice, chatRequirements(conversation, choice.routing), context, async (call) => {
      const result = await askModel(catalog.provider(call.model), conversation, call);
      call.meter.succeeded(result.usage.outputTokens);
      return result;
    });

  /** Complete a conversation as a stream of parts. Resolves at the first output. */
  const stream = (choice: ModelChoice, conversation: Conversation, context: RequestContext) =>
    tryModels(
      choice,
      chatRequirements(conversation, choice.routing),
      context,
      (call) => streamModel(catalog.provider(call.model), conversation, call),
      true,
    );

  const headOf = (operation: GatewayOperation, { model, route }: Answered<unknown>): AnswerHead =>
    answerHead(operation, model.id, route, clock);
  const completed = <A extends CompletedAnswer>(operation: GatewayOperation, context: RequestContext, answer: A): A => {
    listener?.completed(operation, context, answer);
    return answer;
  };
  const failed = (operation: GatewayOperation, context: RequestContext) => (error: unknown) =>
    listener?.failed(operation, context, error);
  /** Run a request, and report its failure. */
  const reporting = async <A>(operation: GatewayOperation, context: RequestContext, work: () => Promise<A>) => {
    try {
      return await work();
    } catch (error) {
      listener?.failed(operation, context, error);
      throw error;
    }
  };

  /** The plain and the streaming form of a text operation. */
  const textOperation = <I extends ModelChoice, A extends ChatAnswer | GenerateAnswer>(
    operation: 'chat' | 'generate',
    toConversation: (input: I) => Conversation,
    toAnswer: (head: AnswerHead, result: ChatResult) => A,
  ) => ({
    whole: (input: I, context: RequestContext) =>
      reporting(operation, context, async () => {
        const answered = await complete(input, toConversation(input), context);
        return completed(operation, context, toAnswer(headOf(operation, answered), answered.value));
      }),
    streamed: (input: I, context: RequestContext) =>
      reporting(operation, context, async () => {
        const answered = await stream(input, toConversation(input), context);
        const head = headOf(operation, answered);
        const events = answered.value.events(
          (part) => {
            if (part.type === 'result') return { done: completed(operation, context, toAnswer(head, part.result)) };
            return part.type === 'text' && part.text !== '' ? { delta: part.text } : undefined;
          },
          failed(operation, context),
        );
        return { ...head, events };
      }),
  });
  const chat = textOperation('chat', conversationOf, chatAnswer);
  const generate = textOperation('generate', promptOf, generateAnswer);

  return {
    models: ({ caller }) => catalog.models.filter((model) => catalog.mayUse(caller.tenant, model)),
    model: (id, { caller }) => catalog.find(id, caller.tenant),
    chat: chat.whole,
    streamChat: chat.streamed,
    generate: generate.whole,
    streamGenerate: generate.streamed,

    embed: (input, context) =>
      reporting('embed', context, async () => {
        const { text, routing } = input;
        const answered = await tryModels(input, embedRequirements(text, routing), context, async (call) => {
          const { model, meter, deadline } = call;
          const provider = catalog.provider(model);
          if (!provider.embed) throw new Error(`${model.id} is listed for embeddings, but its provider has none`);
          const result = await provider.embed({ model: model.info.name, text }, deadline.context);
          checkEmbedding(result, model.info, model.provider);
          meter.succeeded(0);
          return result;
        });
        const { embedding, tokens, warnings = [] } = answered.value;
        return completed('embed', context, { ...headOf('embed', answered), embedding, tokens, warnings });
      }),

    generateFunctionCall: (input, context) =>
      reporting('generateFunctionCall', context, async () => {
        const by = { schemas, tenant: context.caller.tenant };
        const request = await callConversation(input, by);
        const needs = chatRequirements(request, input.routing);
        const answered = await tryModels(input, needs, context, async (call) => {
          const provider = catalog.provider(call.model);
          const valid = await callWithRepair(request, by, (asked) => askModel(provider, asked, call));
          call.meter.succeeded(outputTokens(valid.results));
          return valid;
        });
        const head = headOf('generateFunctionCall', answered);
        return completed('generateFunctionCall', context, functionCallAnswer(head, answered.value));
      }),

    streamFunctionCall: (input, context) =>
      reporting('generateFunctionCall', context, async () => {
        const by = { schemas, tenant: context.caller.tenant };
        const request = await callConversation(input, by);
        const needs = chatRequirements(request, input.routing);
        const open = (call: ModelCall) => openFunctionCall(catalog.provider(call.model), request, by, call);
        const answered = await tryModels(input, needs, context, open, true);
        const head = headOf('generateFunctionCall', answered);
        const events = answered.value.events(
          (valid) => completed('generateFunctionCall', context, functionCallAnswer(head, valid)),
          failed('generateFunctionCall', context),
        );
        return { ...head, events };
      }),

    generateObject: (input, context, watcher) =>
      reporting('generateObject', context, async () => {
        const { output, outputName = 'answer', repairs = 2, functionName, routing } = input;
        const { tenant } = context.caller;
        const errors = await schemas.check(tenant, [{ schema: output, pointer: '/output' }]);
        if (errors.length > 0)
          throw new PatchbayError('schema_invalid', 'the output schema is not accepted', { errors });
        const conversation = conversationOf(input);
        const faultsOf: ObjectTask['faultsOf'] = async (object) => {
          const document = { text: jsonTextOf(object), role: 'output', pointer: '/output' } as const;
          return (await schemas.validate(tenant, output, document)).faults;
        };
        const task = { conversation, output, outputName, faultsOf, repairs, watcher };
        const needs = forTask(chatRequirements(conversation, routing), functionName);
        const answered = await tryModels(input, needs, context, async (call) => {
          const { model, meter } = call;
          const asking = askForObject(catalog.provider(model), task, call);
          const asked = await noteFit(fits, functionName, model.id, context, asking);
          meter.succeeded(outputTokens(asked.results));
          return asked;
        });
        return completed('generateObject', context, objectAnswer(headOf('generateObject', answered), answered.value));
      }),

    async explain(input, context) {
      const { routing, functionName } = input;
      const conversation = 'messages' in input ? conversationOf(input) : { messages: [] };
      const embeds = routing?.capabilities?.includes('embeddings') ?? false;
      const needs = embeds ? embedRequirements('', routing) : chatRequirements(conversation, routing);
      return await explainPlan(planning, input, forTask(needs, functionName), context);
    },
  };
}

function conversationOf(input: ChatInput): Conversation {
  return { messages: checkMessages(input.messages), ...samplingOf(input) };
}

function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}

function forTask(needs: Requirements, task: string | undefined): Requirements {
  return task === undefined ? needs : { ...needs, task };
}
