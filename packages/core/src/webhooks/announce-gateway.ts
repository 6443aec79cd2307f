import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonValue } from '../contracts/json.ts';
import type { FailedAttempt } from '../gateway/attempt.ts';
import type { Answer, EmbedAnswer, GatewayService, StreamedAnswer, TokenCounts } from '../gateway/gateway-service.ts';
import type { EventKindName } from './event-kinds.ts';
import type { EventRecorder } from './event-recorder.ts';
import { requestData } from './webhook-event.ts';

type Operation = 'generate' | 'chat' | 'embed' | 'callFunction' | 'generateObject';
type Record = Pick<EventRecorder, 'record'>;

/** The gateway, with everything that it answers, or fails to answer, told to webhooks. */
export function announceGateway(gateway: GatewayService, recorder: Record): GatewayService {
  const failed = (operation: Operation, context: RequestContext, error: unknown): void => {
    const failure = failureOf(error);
    if (failure === undefined) return;
    recorder.record(context.caller.tenant, {
      type: 'gateway.failed',
      data: { ...requestData(context), operation, ...failure },
    });
  };
  const completed = (type: EventKindName, idName: string, context: RequestContext, answer: Answer & TokenCounts) => {
    const { id, model, promptTokens, completionTokens, totalTokens } = answer;
    const data = { [idName]: id, ...requestData(context), model, promptTokens, completionTokens, totalTokens };
    recorder.record(context.caller.tenant, { type, data });
  };
  const embedded = (context: RequestContext, { id, model, tokens }: EmbedAnswer) =>
    recorder.record(context.caller.tenant, {
      type: 'embedding.completed',
      data: { embeddingId: id, ...requestData(context), model, tokens },
    });

  /** Pass an answer on, and tell of it. */
  const telling = async <A>(
    operation: Operation,
    context: RequestContext,
    asking: Promise<A>,
    tell: (answer: A) => void,
  ): Promise<A> => {
    try {
      const answer = await asking;
      tell(answer);
      return answer;
    } catch (error) {
      failed(operation, context, error);
      throw error;
    }
  };

  const tellingStream = async <A extends Answer & TokenCounts>(
    operation: Operation,
    context: RequestContext,
    asking: Promise<StreamedAnswer<A>>,
    tell: (answer: A) => void,
  ): Promise<StreamedAnswer<A>> => {
    const opened = await telling(operation, context, asking, () => {});
    async function* events() {
      try {
        for await (const event of opened.events) {
          if ('done' in event) tell(event.done);
          yield event;
        }
      } catch (error) {
        failed(operation, context, error);
        throw error;
      }
    }
    return { ...opened, events: events() };
  };

  const generated = (context: RequestContext) => (answer: Answer & TokenCounts) =>
    completed('generation.completed', 'generationId', context, answer);
  const chatted = (context: RequestContext) => (answer: Answer & TokenCounts) =>
    completed('chat.completed', 'chatId', context, answer);
  const called = (context: RequestContext) => (answer: Answer & TokenCounts) =>
    completed('function_call.completed', 'functionCallId', context, answer);

  return {
    ...gateway,
    generate: (input, context) => telling('generate', context, gateway.generate(input, context), generated(context)),
    chat: (input, context) => telling('chat', context, gateway.chat(input, context), chatted(context)),
    embed: (input, context) =>
      telling('embed', context, gateway.embed(input, context), (answer) => embedded(context, answer)),
    callFunction: (input, context) =>
      telling('callFunction', context, gateway.callFunction(input, context), called(context)),
    generateObject: (input, context, watcher) =>
      telling('generateObject', context, gateway.generateObject(input, context, watcher), generated(context)),
    streamGenerate: (input, context) =>
      tellingStream('generate', context, gateway.streamGenerate(input, context), generated(context)),
    streamChat: (input, context) =>
      tellingStream('chat', context, gateway.streamChat(input, context), chatted(context)),
  };
}

/** Tell that a model answered after others had failed. */
export function announceFallback(recorder: Record) {
  return (context: RequestContext, model: string, attempts: readonly FailedAttempt[]): void => {
    recorder.record(context.caller.tenant, {
      type: 'model.fallback',
      data: { ...requestData(context), model, attempts: attempts.map((each) => ({ ...each })) },
    });
  };
}

/** What is told of a failure: one that models had a part in, or that nothing could be asked. The caller's own is not. */
function failureOf(error: unknown): { readonly errorCode: string; readonly attempts: JsonValue } | undefined {
  if (!PatchbayError.is(error)) return undefined;
  const { attempts = [] } = error.extensions;
  const wasAsked = Array.isArray(attempts) && attempts.length > 0;
  const isOurs = error.status >= 500 && error.code !== 'shutting_down';
  return wasAsked || isOurs ? { errorCode: error.code, attempts } : undefined;
}
