import { jsonTextOf } from '../base/json-text-of.ts';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { ChatRequest, ChatResult } from '../contracts/provider.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import { checkChatResult, checkEmbedding } from '../usage/call-cost.ts';
import {
  allWarnings,
  answerHead,
  chatAnswer,
  generateAnswer,
  outputTokens,
  routeHeader,
  totalCounts,
} from './answers.ts';
import { type AttemptResult, attempt, createRetryBudget } from './attempt.ts';
import { checkMessages } from './check-gateway-input.ts';
import { createDeadlineContext, type DeadlineContext, firstTokenMs, limitFirstToken } from './deadline.ts';
import type { CallMeter } from './deployments.ts';
import { asProviderFailure } from './fault-policy.ts';
import {
  type CheckedBy,
  callRequestOf,
  callWithRepair,
  type FunctionCallRequest,
  type OpenFunctionCall,
  openFunctionCall,
  type ValidCall,
} from './function-call.ts';
import type { ChosenBy, GatewayListener, GatewayMeasures } from './gateway-listener.ts';
import type {
  Answer,
  ChatInput,
  FunctionCallAnswer,
  GatewayService,
  GenerateInput,
  ModelChoice,
  StreamedAnswer,
  TokenCounts,
} from './gateway-service.ts';
import type { CatalogModel } from './model-catalog.ts';
import { askForObject } from './object/ask-for-object.ts';
import { objectStrategy } from './object/object-strategy.ts';
import { createTaskFits, noteFit } from './object/task-fits.ts';
import { type ChatWatch, watchedChat } from './object/watched-chat.ts';
import { explainPlan, findModel, isAutomatic, makePlan, type Plan, type PlanParts } from './plan.ts';
import { chatRequirements, embedRequirements, type Requirements, samplingOf } from './requirements.ts';
import { openStream } from './stream-answer.ts';

export interface GatewayParts extends Omit<PlanParts, 'fits'> {
  readonly clock: Clock;
  readonly schemas: SchemaService;
  /** Milliseconds for one request, all attempts together. */
  readonly timeoutMs: number;
  readonly listener?: GatewayListener;
  readonly measures?: GatewayMeasures;
}

type Conversation = Omit<ChatRequest, 'model'>;

export function createGatewayService(given: GatewayParts): GatewayService {
  const { catalog, clock, schemas, timeoutMs } = given;
  const fits = createTaskFits(clock);
  const parts = { ...given, fits };
  const attemptParts = { ...parts, retryBudget: createRetryBudget() };

  const tryModels = async <T>(
    choice: ModelChoice,
    needs: Requirements,
    context: RequestContext,
    call: (model: CatalogModel, meter: CallMeter, deadline: DeadlineContext, isLast: boolean) => Promise<T>,
    keepOpen = false,
  ): Promise<AttemptResult<T> & { readonly route: string }> => {
    const plan: Plan = await makePlan(parts, choice, needs, context);
    const deadline = createDeadlineContext(context, timeoutMs, clock);
    let settled = false;
    try {
      const result = await attempt(attemptParts, plan.models, deadline, (model, meter, isLast) =>
        call(model, meter, deadline, isLast),
      );
      settled = true;
      parts.measures?.answered(result.model.id, chosenBy(choice, parts), result.failed);
      if (result.failed.length > 0) parts.listener?.fellBack(context, result.model.id, result.failed);
      return { ...result, route: routeHeader(plan, result.model.id, result.failed) };
    } catch (error) {
      if (!context.signal.aborted) parts.measures?.unanswered(error);
      throw error;
    } finally {
      if (!(settled && keepOpen)) deadline.close();
    }
  };

  const ask = async (model: CatalogModel, request: Conversation, { context }: DeadlineContext): Promise<ChatResult> => {
    const result = await catalog.provider(model).chat({ ...request, model: model.info.name }, context);
    return checkChatResult(result, model.provider);
  };

  const askWatched = async (
    model: CatalogModel,
    request: Conversation,
    deadline: DeadlineContext,
    isLast: boolean,
    watch: Pick<ChatWatch, 'wrote' | 'watched' | 'firstOutput'>,
  ): Promise<ChatResult> => {
    const provider = catalog.provider(model);
    if (!provider.stream) return await ask(model, request, deadline);
    const limit = limitFirstToken(deadline, firstTokenMs(model, isLast), model.provider);
    const stream = provider.stream({ ...request, model: model.info.name }, limit.context);
    const firstOutput = () => {
      limit.arrived();
      watch.firstOutput();
    };
    try {
      const result = await watchedChat(stream, { ...watch, firstOutput, limit, provider: model.provider });
      return checkChatResult(result, model.provider);
    } finally {
      limit.release();
    }
  };

  const converse = (input: ModelChoice, request: Conversation, context: RequestContext) =>
    tryModels(input, needsOf(input, request), context, async (model, meter, deadline) => {
      const result = await ask(model, request, deadline);
      meter.succeeded(result.usage.outputTokens);
      return result;
    });

  const stream = async <A extends Answer & TokenCounts>(
    input: ModelChoice,
    request: Conversation,
    context: RequestContext,
    prefix: 'chat' | 'generation',
    toAnswer: (head: Omit<Answer, 'warnings'>, result: ChatResult) => A,
  ): Promise<StreamedAnswer<A>> => {
    const open = (model: CatalogModel, meter: CallMeter, deadline: DeadlineContext, isLast: boolean) => {
      const asked = { ...request, model: model.info.name };
      const limitMs = firstTokenMs(model, isLast);
      return openStream(catalog.provider(model), model.provider, asked, deadline, meter, limitMs);
    };
    const { value, model, route } = await tryModels(input, needsOf(input, request), context, open, true);
    const head = answerHead(prefix, model.id, route, clock);
    async function* events() {
      try {
        for await (const event of value.events()) {
          if ('delta' in event) {
            yield event;
            continue;
          }
          const done = toAnswer(head, event.result);
          parts.listener?.streamed(prefix, context, done);
          yield { done };
        }
      } catch (error) {
        parts.listener?.streamFailed(prefix, context, error);
        throw error;
      }
    }
    return { ...head, events: events() };
  };

  const functionCallAnswer = (head: Omit<Answer, 'warnings'>, valid: ValidCall): FunctionCallAnswer => ({
    ...head,
    functionCall: { name: valid.call.name, arguments: valid.call.arguments },
    ...totalCounts(valid.results),
    warnings: allWarnings(valid),
  });

  const openCall = async (
    request: FunctionCallRequest,
    by: CheckedBy,
    model: CatalogModel,
    meter: CallMeter,
    deadline: DeadlineContext,
    isLast: boolean,
  ): Promise<{ readonly call: OpenFunctionCall; readonly deadline: DeadlineContext }> => {
    const call = await openFunctionCall((watcher, abandoned) => {
      const signal = AbortSignal.any([deadline.context.signal, abandoned]);
      const within = { ...deadline, context: { ...deadline.context, signal } };
      let asked = 0;
      const calling = callWithRepair(request, by, (each) => {
        asked += 1;
        if (asked > 1) watcher.restarted('the call did not fit; the model is asked again');
        const wrote = (text: string) => watcher.wrote(text);
        const firstOutput = () => meter.firstToken();
        return askWatched(model, each, within, isLast, { wrote, watched: 'arguments', firstOutput });
      });
      const judge = (error: unknown): void => {
        const isTimeUp = deadline.blamesModel && PatchbayError.is(error);
        if (signal.aborted && !isTimeUp) meter.abandoned();
        else meter.failed(asProviderFailure(error, model.provider));
      };
      calling.then(({ results }) => meter.succeeded(outputTokens(results)), judge);
      return calling;
    });
    return { call, deadline };
  };

  return {
    models: ({ caller }) => catalog.models.filter((model) => parts.mayUse(caller.tenant, model)),
    model: (id, context) => findModel(parts, id, context),

    async generate(input, context) {
      const { value, model, route } = await converse(input, promptOf(input), context);
      return generateAnswer(answerHead('generation', model.id, route, clock), value);
    },

    async chat(input, context) {
      const { value, model, route } = await converse(input, conversationOf(input), context);
      return chatAnswer(answerHead('chat', model.id, route, clock), value);
    },

    async embed(input, context) {
      const { text } = input;
      const needs = embedRequirements(text, input.routing);
      const { value, model, route } = await tryModels(input, needs, context, async (candidate, meter, deadline) => {
        const provider = catalog.provider(candidate);
        if (!provider.embed) throw new Error(`${candidate.id} is listed for embeddings, but its provider has none`);
        const result = await provider.embed({ model: candidate.info.name, text }, deadline.context);
        checkEmbedding(result, candidate.info, candidate.provider);
        meter.succeeded(0);
        return result;
      });
      const { embedding, tokens, warnings = [] } = value;
      return { ...answerHead('embedding', model.id, route, clock), embedding, tokens, warnings };
    },

    async generateFunctionCall(input, context) {
      const by = { schemas, tenant: context.caller.tenant };
      const request = await callRequestOf(input, by);
      const needs = needsOfCall(input, request);
      const { value, model, route } = await tryModels(input, needs, context, async (candidate, meter, deadline) => {
        const valid = await callWithRepair(request, by, (asked) => ask(candidate, asked, deadline));
        meter.succeeded(outputTokens(valid.results));
        return valid;
      });
      return functionCallAnswer(answerHead('function_call', model.id, route, clock), value);
    },

    async generateObject(input, context, watcher) {
      const { output, outputName = 'answer', repairs = 2 } = input;
      const { tenant } = context.caller;
      const errors = await schemas.check(tenant, [{ schema: output, pointer: '/output' }]);
      if (errors.length > 0) throw new PatchbayError('schema_invalid', 'the output schema is not accepted', { errors });
      const request = conversationOf(input);
      const faultsOf = async (object: JsonObject) => {
        const document = { text: jsonTextOf(object), role: 'output', pointer: '/output' } as const;
        return (await schemas.validate(tenant, output, document)).faults;
      };
      const needs = forTask(needsOf(input, request), input.functionName);
      const { value, model, route } = await tryModels(
        input,
        needs,
        context,
        async (candidate, meter, deadline, isLast) => {
          const strategy = objectStrategy(candidate.info, outputName, output);
          let why = 'the model failed; another attempt begins';
          const asking = askForObject(request, strategy, { faultsOf, repairs }, (each) => {
            watcher?.restarted(why);
            why = 'the answer did not fit; the model is asked again';
            if (!watcher) return ask(candidate, each, deadline);
            const wrote = (text: string) => watcher.wrote(text);
            return askWatched(candidate, each, deadline, isLast, {
              wrote,
              watched: strategy.written,
              firstOutput: () => meter.firstToken(),
            });
          });
          const asked = await noteFit({ functionName: input.functionName, model: candidate.id }, context, fits, asking);
          meter.succeeded(outputTokens(asked.results));
          return asked;
        },
      );
      return {
        ...answerHead('generation', model.id, route, clock),
        object: value.object,
        finishReason: value.results.at(-1)?.finishReason ?? 'stop',
        ...totalCounts(value.results),
        warnings: allWarnings(value),
      };
    },

    streamGenerate: (input, context) => stream(input, promptOf(input), context, 'generation', generateAnswer),
    streamChat: async (input, context) => await stream(input, conversationOf(input), context, 'chat', chatAnswer),

    async streamFunctionCall(input, context) {
      const by = { schemas, tenant: context.caller.tenant };
      const request = await callRequestOf(input, by);
      const needs = needsOfCall(input, request);
      const open = (model: CatalogModel, meter: CallMeter, deadline: DeadlineContext, isLast: boolean) =>
        openCall(request, by, model, meter, deadline, isLast);
      const { value, model, route } = await tryModels(input, needs, context, open, true);
      const head = answerHead('function_call', model.id, route, clock);
      async function* events() {
        try {
          yield* value.call.pieces();
          const done = functionCallAnswer(head, await value.call.done);
          parts.listener?.streamed('call', context, done);
          yield { done };
        } catch (error) {
          parts.listener?.streamFailed('call', context, error);
          throw PatchbayError.is(error) ? error : asProviderFailure(error, model.provider);
        } finally {
          value.deadline.close();
        }
      }
      return { ...head, events: events() };
    },

    async explain(input, context) {
      const request = 'messages' in input ? conversationOf(input) : { messages: [] };
      const embeds = input.routing?.capabilities?.includes('embeddings') ?? false;
      const needs = embeds ? embedRequirements('', input.routing) : needsOf(input, request);
      return await explainPlan(parts, input, forTask(needs, input.functionName), context);
    },
  };
}

function chosenBy(choice: ModelChoice, { router }: GatewayParts): ChosenBy {
  if (!isAutomatic(choice)) return 'caller';
  return router ? 'router' : 'order';
}

function conversationOf(input: ChatInput): Conversation {
  return { messages: checkMessages(input.messages), ...samplingOf(input) };
}

function needsOfCall(choice: ModelChoice, { functions, ...request }: FunctionCallRequest): Requirements {
  return needsOf(choice, { ...request, tools: functions });
}

function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}

function forTask(needs: Requirements, task: string | undefined): Requirements {
  return task === undefined ? needs : { ...needs, task };
}

function needsOf({ routing }: ModelChoice, request: Conversation): Requirements {
  const { messages, tools, responseSchema } = request;
  return chatRequirements({
    messages,
    ...(tools ? { tools } : {}),
    ...(responseSchema ? { responseSchema } : {}),
    sampling: samplingOf(request),
    routing,
  });
}
