import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonValue } from '../contracts/json.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import { requestData, type WebhookEvent } from '../events/webhook-event.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { FailedAttempt } from './attempt.ts';
import type { Answer, EmbedAnswer, GatewayService, TokenCounts } from './gateway-service.ts';
import { splitModelId } from './model-catalog.ts';

/** Told of what callers of the gateway do not see in one piece. */
export interface GatewayListener {
  /** A model answered after others had failed. */
  fellBack(context: RequestContext, model: string, failed: readonly FailedAttempt[]): void;
  /** A stream is through. */
  streamed(kind: 'chat' | 'generation' | 'call', context: RequestContext, answer: Answer & TokenCounts): void;
  /** A stream was cut, after a part of it was there. */
  streamFailed(kind: 'chat' | 'generation' | 'call', context: RequestContext, error: unknown): void;
}

interface Announcer {
  /** For the gateway itself. */
  readonly listener: GatewayListener;
  /** The gateway, with everything that it answers, or fails to answer, told to webhooks. */
  announce(gateway: GatewayService): GatewayService;
}

const answered = {
  chat: { type: 'chat.completed', idName: 'chatId', operation: 'chat' },
  generation: { type: 'generation.completed', idName: 'generationId', operation: 'generate' },
  call: { type: 'function_call.completed', idName: 'functionCallId', operation: 'generateFunctionCall' },
} as const;

/** Tells webhooks of requests to models. Streams are not wrapped: each layer around them costs as much as a piece. */
export function createGatewayAnnouncer(recorder: Pick<EventRecorder, 'record'>): Announcer {
  const record = ({ caller }: RequestContext, event: WebhookEvent) => recorder.record(caller.tenant, event);
  const failed = (operation: GatewayOperation, context: RequestContext, error: unknown): void => {
    const failure = failureOf(error);
    if (failure === undefined) return;
    record(context, { type: 'gateway.failed', data: { ...requestData(context), operation, ...failure } });
  };
  const completed = (kind: keyof typeof answered, context: RequestContext, answer: Answer & TokenCounts): void => {
    const { type, idName } = answered[kind];
    const { id, model, promptTokens, completionTokens, totalTokens } = answer;
    const data = { [idName]: id, ...requestData(context), model, promptTokens, completionTokens, totalTokens };
    record(context, { type, data });
  };
  const embedded = (context: RequestContext, { id, model, tokens }: EmbedAnswer): void => {
    record(context, { type: 'embedding.completed', data: { embeddingId: id, ...requestData(context), model, tokens } });
  };

  /** Pass an answer on, and tell of it. */
  const telling = async <A>(
    operation: GatewayOperation,
    context: RequestContext,
    asking: Promise<A>,
    tell?: (answer: A) => void,
  ): Promise<A> => {
    try {
      const answer = await asking;
      tell?.(answer);
      return answer;
    } catch (error) {
      failed(operation, context, error);
      throw error;
    }
  };
  const teller = (kind: keyof typeof answered, context: RequestContext) => (answer: Answer & TokenCounts) =>
    completed(kind, context, answer);

  return {
    listener: {
      fellBack(context, model, attempts) {
        const data = { ...requestData(context), model, attempts: attempts.map((each) => ({ ...each })) };
        record(context, { type: 'model.fallback', data });
      },
      streamed: completed,
      streamFailed: (kind, context, error) => failed(answered[kind].operation, context, error),
    },
    announce: (gateway) => ({
      ...gateway,
      generate: (input, context) =>
        telling('generate', context, gateway.generate(input, context), teller('generation', context)),
      chat: (input, context) => telling('chat', context, gateway.chat(input, context), teller('chat', context)),
      embed: (input, context) =>
        telling('embed', context, gateway.embed(input, context), (answer) => embedded(context, answer)),
      generateFunctionCall: (input, context) =>
        telling('generateFunctionCall', context, gateway.generateFunctionCall(input, context), teller('call', context)),
      generateObject: (input, context, watcher) =>
        telling(
          'generateObject',
          context,
          gateway.generateObject(input, context, watcher),
          teller('generation', context),
        ),
      streamGenerate: (input, context) => telling('generate', context, gateway.streamGenerate(input, context)),
      streamChat: (input, context) => telling('chat', context, gateway.streamChat(input, context)),
      streamFunctionCall: (input, context) =>
        telling('generateFunctionCall', context, gateway.streamFunctionCall(input, context)),
    }),
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

/** Who decided which model was asked first. */
export type ChosenBy = 'caller' | 'router' | 'order';

/** Counts what became of requests to models, however many models were asked for one. */
export interface GatewayMeasures {
  answered(model: string, chosenBy: ChosenBy, failed: readonly FailedAttempt[]): void;
  unanswered(error: unknown): void;
}

export function createGatewayMeasures({ count }: Pick<Measuring, 'count'>): GatewayMeasures {
  return {
    answered(model, chosenBy, failed) {
      const attributes = { chosen_by: chosenBy, fallback: failed.length > 0 };
      count('patchbay.gateway.answers', 1, { ...attributesOf(model), ...attributes });
      for (const { model: other, code } of failed) {
        if (other === model) continue;
        count('patchbay.gateway.fallbacks', 1, { ...attributesOf(other), 'error.type': code });
      }
    },
    unanswered(error) {
      count('patchbay.gateway.unanswered', 1, {
        'error.type': PatchbayError.is(error) ? error.code : 'internal_error',
      });
    },
  };
}

function attributesOf(id: string) {
  const { provider = '', name = id } = splitModelId(id) ?? {};
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name };
}
