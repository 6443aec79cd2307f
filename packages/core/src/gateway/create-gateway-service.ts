import { jsonTextOf } from '../base/json-text-of.ts';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { OutputWatcher } from '../contracts/executor.ts';
import type { ChatResult, EmbedResult } from '../contracts/provider.ts';
import type { Router } from '../contracts/router.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { contentText, responseMessage } from '../provider-kit/message-content.ts';
import { definedMembers } from '../provider-kit/transport-options.ts';
import { resolvedSchema } from '../schema/resolve-schema.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import { type AnswerHead, answerHead, outputTokens, routeHeader, totalsOf } from './answers.ts';
import {
  type AnswerPart,
  askModel,
  type Conversation,
  openStream,
  readModel,
  resultOf,
  showModel,
} from './ask-model.ts';
import { attempt, createRetryBudget, type ModelCall } from './attempt.ts';
import { checkMessages } from './check-gateway-input.ts';
import { createDeadlineContext } from './deadline.ts';
import type { Deployments } from './deployments.ts';
import { embedTexts } from './embed-texts.ts';
import { type CheckedBy, callConversation, checkTools, makeCall, type ValidCall } from './function-call.ts';
import type { CompletedAnswer, GatewayListener } from './gateway-listener.ts';
import type {
  ChatAnswer,
  ChatInput,
  ChatPiece,
  EmbedManyAnswer,
  EmbedManyInput,
  FunctionCallAnswer,
  FunctionCallInput,
  FunctionCallPiece,
  GatewayService,
  GenerateAnswer,
  GenerateInput,
  ModelChoice,
  ObjectAnswer,
  ObjectInput,
} from './gateway-service.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { createResolveModel, type ModelAliases } from './model-names.ts';
import { type AskedObject, askForObject, type ObjectTask } from './object/ask-for-object.ts';
import { createTaskFits, noteFit } from './object/task-fits.ts';
import type { Pipeline, StreamedTask, Task } from './pipeline.ts';
import { chatRequirements, embedRequirements, explainPlan, makePlan, type Requirements, samplingOf } from './plan.ts';
import type { ReceivedIds } from './received-ids.ts';
import { createRelay } from './relay.ts';

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
  /** Default: none. */
  readonly aliases?: ModelAliases | undefined;
  /** Whether callers may use tools that vendors run. Default: false. */
  readonly vendorTools?: boolean;
  readonly receivedIds: ReceivedIds;
}

/**
 * Every request takes the same steps: it becomes a task with requirements, a plan selects the models that can serve it
 * (`plan.ts`), they are called in order until one responds (`attempt.ts`, `ask-model.ts`), its result becomes the response,
 * and the listener records it.
 */
export function createGatewayService(dependencies: GatewayDependencies): GatewayService {
  const { catalog, schemas, clock, timeoutMs, listener } = dependencies;
  const resolveModel = createResolveModel(catalog, dependencies.aliases);
  const fits = createTaskFits(clock);
  const planning = { ...dependencies, fits };
  const attempting = { ...dependencies, retryBudget: createRetryBudget() };

  const tryModels: Pipeline['tryModels'] = async (choice, needs, context, carryOut, isStream = false) => {
    const plan = await makePlan(planning, choice, needs, context);
    const deadline = createDeadlineContext(context, timeoutMs, clock);
    let isOpen = false;
    try {
      const { value, model, failed } = await attempt(attempting, plan.models, deadline, carryOut);
      isOpen = isStream;
      listener?.answered(context, { model: model.id, chosenBy: plan.chosenBy, failed });
      return { value, model, route: routeHeader(plan, model.id, failed, choice.alias) };
    } catch (error) {
      if (!context.signal.aborted) listener?.unanswered(error);
      throw error;
    } finally {
      if (!isOpen) deadline.close();
    }
  };

  const headOf: Pipeline['headOf'] = (operation, { model, route }) => answerHead(operation, model.id, route, clock);
  const completed: Pipeline['completed'] = (operation, context, answer) => {
    listener?.completed(operation, context, answer);
    return answer;
  };
  const failed: Pipeline['failed'] = (operation, context, error) => listener?.failed(operation, context, error);
  const reporting: Pipeline['reporting'] = async (operation, context, work) => {
    try {
      return await work();
    } catch (error) {
      failed(operation, context, error);
      throw error;
    }
  };
  const pipeline: Pipeline = { resolveModel, tryModels, headOf, completed, failed, reporting };

  /** Run a task, and return its response as a whole. */
  const inOnePiece = <I extends ModelChoice, T, A extends CompletedAnswer>(
    operation: GatewayOperation,
    input: I,
    context: RequestContext,
    prepare: (input: I) => Task<T, A> | Promise<Task<T, A>>,
  ): Promise<A> =>
    reporting(operation, context, async () => {
      const choice = resolveModel(input, context.caller.tenant);
      const task = await prepare(choice);
      const answered = await tryModels(choice, task.needs, context, async (call) => {
        const result = await task.ask(call);
        call.meter.succeeded(task.outputTokens(result));
        return result;
      });
      return completed(operation, context, task.toAnswer(headOf(operation, answered), answered.value));
    });

  /** Run a task, and return its response as a stream. Resolves at the first output. */
  const streamed = <I extends ModelChoice, P, E, T, A extends CompletedAnswer>(
    operation: GatewayOperation,
    input: I,
    context: RequestContext,
    prepare: (input: I) => StreamedTask<P, T, A> | Promise<StreamedTask<P, T, A>>,
    toEvent: (part: P) => E | undefined,
  ) =>
    reporting(operation, context, async () => {
      const choice = resolveModel(input, context.caller.tenant);
      const task = await prepare(choice);
      const open = (call: ModelCall) => openStream(task.read(call), call, task.outputTokens);
      const answered = await tryModels(choice, task.needs, context, open, true);
      const head = headOf(operation, answered);
      const events = answered.value.events(
        toEvent,
        (result) => completed(operation, context, task.toAnswer(head, result)),
        (error) => failed(operation, context, error),
      );
      return { ...head, events };
    });

  const textTask = <A extends CompletedAnswer>(
    { routing }: ModelChoice,
    conversation: Conversation,
    toAnswer: (head: AnswerHead, result: ChatResult) => A,
  ): StreamedTask<AnswerPart, ChatResult, A> => ({
    needs: chatRequirements(conversation, routing),
    ask: (call) => askModel(catalog.provider(call.model), conversation, call),
    read: (call) => readModel(catalog.provider(call.model), conversation, call),
    outputTokens: ({ usage }) => usage.outputTokens,
    toAnswer,
  });

  const chatTask = async (input: ChatInput, { caller: { tenant } }: RequestContext) =>
    textTask(input, await chatConversation(input, { schemas, tenant }), (head, result): ChatAnswer => {
      const { content, finishReason, usage, extra } = result;
      return {
        ...head,
        message: responseMessage(content, head.model),
        finishReason,
        usage,
        ...(extra && { extra }),
        ...totalsOf({ results: [result] }),
      };
    });

  const generateTask = (input: GenerateInput) =>
    textTask(input, promptOf(input), (head, result): GenerateAnswer => {
      const { content, finishReason } = result;
      return { ...head, text: contentText(content), finishReason, ...totalsOf({ results: [result] }) };
    });

  const embedTask = ({ texts, dimensions, routing }: EmbedManyInput): Task<EmbedResult, EmbedManyAnswer> => ({
    needs: embedRequirements(texts.join('\n'), routing),
    ask: (call) => embedTexts(catalog.provider(call.model), texts, dimensions, call),
    outputTokens: () => 0,
    toAnswer: (head, { embeddings, tokens, warnings = [] }) => ({ ...head, embeddings, tokens, warnings }),
  });

  const callTask = async (
    input: FunctionCallInput,
    { caller: { tenant } }: RequestContext,
  ): Promise<StreamedTask<FunctionCallPiece, ValidCall, FunctionCallAnswer>> => {
    const by = { schemas, tenant };
    const request = await callConversation(input, by);
    const make = (call: ModelCall, watched?: 'tool-arguments') =>
      makeCall(request, by, (asked) => showModel(catalog.provider(call.model), asked, call, watched));
    return {
      needs: chatRequirements(request, input.routing),
      ask: (call) => resultOf(make(call)),
      read: (call) => make(call, 'tool-arguments'),
      outputTokens: ({ results }) => outputTokens(results),
      toAnswer: (head, valid) => {
        const { name, arguments: values } = valid.call;
        return { ...head, functionCall: { name, arguments: values }, ...totalsOf(valid) };
      },
    };
  };

  const objectTask = async (
    input: ObjectInput,
    context: RequestContext,
    watcher: OutputWatcher | undefined,
  ): Promise<Task<AskedObject, ObjectAnswer>> => {
    const { output, outputName = 'answer', repairs = 2, functionName, routing } = input;
    const { tenant } = context.caller;
    const errors = await schemas.check(tenant, [{ schema: output, pointer: '/output' }]);
    if (errors.length > 0) throw new PatchbayError('schema_invalid', 'the output schema is not accepted', { errors });
    const conversation = conversationOf(input);
    const faultsOf: ObjectTask['faultsOf'] = async (object) => {
      const document = { text: jsonTextOf(object), role: 'output', pointer: '/output' } as const;
      return (await schemas.validate(tenant, output, document)).faults;
    };
    const task = { conversation, output, outputName, faultsOf, repairs, watcher };
    return {
      needs: forTask(chatRequirements(conversation, routing), functionName),
      ask: (call) =>
        noteFit(fits, functionName, call.model.id, context, askForObject(catalog.provider(call.model), task, call)),
      outputTokens: ({ results }) => outputTokens(results),
      toAnswer: (head, asked) => {
        const finishReason = asked.results.at(-1)?.finishReason ?? 'stop';
        return { ...head, object: asked.object, finishReason, ...totalsOf(asked) };
      },
    };
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
      relay.streamed(
        'chat',
        { ...request, prepare: async () => chatTask(translate(), context) },
        context,
        chatPieces(),
      ),
    relayTokenCount: (request, context) => relay.counted(request, context),
    relayEmbedding: ({ translate, ...request }, context) =>
      relay.whole('embed', { ...request, prepare: async () => embedTask(translate()) }, context),
    generateObject: (input, context, watcher) =>
      inOnePiece('generateObject', input, context, (choice) => objectTask(choice, context, watcher)),

    async explain(given, context) {
      const input = resolveModel(given, context.caller.tenant);
      const { routing, functionName } = input;
      const conversation = 'messages' in input ? conversationOf(input) : { messages: [] };
      const embeds = routing?.capabilities?.includes('embeddings') ?? false;
      const needs = embeds ? embedRequirements('', routing) : chatRequirements(conversation, routing);
      return await explainPlan(planning, input, forTask(needs, functionName), context);
    },
  };
}

/** Maps the parts of one stream. A call that its provider sends complete is one piece. */
function chatPieces(): (part: AnswerPart) => ChatPiece | undefined {
  const begun = new Set<string>();
  return (part) => {
    if (part.type === 'text') return { delta: part.text };
    if (part.type === 'refusal') return { refusal: part.text };
    if (part.type === 'reasoning') return { reasoning: part.text };
    if (part.type === 'reasoning-end') {
      const { signature, encrypted } = part;
      return { reasoningEnd: definedMembers({ signature, encrypted }) };
    }
    if (part.type === 'tool-arguments') {
      begun.add(part.id);
      return { toolCall: { id: part.id, name: part.name, arguments: part.text } };
    }
    if (part.type !== 'tool-call' || begun.has(part.toolCall.id)) return undefined;
    const { id, name, arguments: values } = part.toolCall;
    return { toolCall: { id, name, arguments: jsonTextOf(values) } };
  };
}

function textDelta(part: AnswerPart): { readonly delta: string } | undefined {
  return part.type === 'text' ? { delta: part.text } : undefined;
}

function conversationOf(input: ChatInput): Conversation {
  const { tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseSchema, responseJson, extra } =
    input;
  return {
    messages: checkMessages(input.messages),
    ...samplingOf(input),
    ...definedMembers({ tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseJson, extra }),
    ...(responseSchema && { responseSchema: resolvedSchema(responseSchema) }),
  };
}

/** @throws PatchbayError `invalid_request`; `schema_invalid` for a schema beyond the profile. */
async function chatConversation(input: ChatInput, by: CheckedBy): Promise<Conversation> {
  const { tools = [], responseSchema } = input;
  await checkTools(tools, '/tools', by, responseSchema ? [{ schema: responseSchema, pointer: '/responseSchema' }] : []);
  return conversationOf(input);
}

function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}

function forTask(needs: Requirements, task: string | undefined): Requirements {
  return task === undefined ? needs : { ...needs, task };
}
