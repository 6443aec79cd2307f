import type { RequestContext } from '@patchbay/contracts/context';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import { divert, isLoop } from '../answers.ts';
import { resultOf } from '../ask-model.ts';
import type {
  Answer,
  ChatAnswer,
  ChatPiece,
  FunctionCallAnswer,
  FunctionCallPiece,
  GatewayService,
  Resumed,
  StreamedAnswer,
  TokenCounts,
  ToolResultPiece,
} from '../gateway-service.ts';
import { Batched } from '../stream-events.ts';
import { callLoop } from './call-loop.ts';
import { chatLoop } from './chat-loop.ts';
import { loopTools } from './loop-tools.ts';
import { type LoopDependencies, openLoop, type RecordedLoop } from './recorded-loop.ts';

interface ToolLoopDependencies extends LoopDependencies {
  readonly tools: ToolCatalog;
}

/**
 * The gateway with loops over tools of mounted servers. Each step is a separate request: planned, limited by budgets, recorded
 * and measured as any other. The deadline is that of the whole loop.
 */
export function withToolLoop(gateway: GatewayService, dependencies: ToolLoopDependencies): GatewayService {
  const { tools } = dependencies;
  const whole = async <A extends Answer & TokenCounts>(
    recorded: RecordedLoop,
    loop: (within: RequestContext) => AsyncGenerator<unknown, A>,
  ): Promise<A> => {
    try {
      const answer = await resultOf(loop(recorded.within));
      recorded.answered(answer);
      return { ...answer, id: recorded.id };
    } catch (error) {
      recorded.failed(error);
      throw error;
    } finally {
      recorded.close();
    }
  };
  const openChat = (input: object, context: RequestContext) => openLoop('chat', input, context, dependencies);
  const openCall = (input: object, context: RequestContext) =>
    openLoop('generateFunctionCall', input, context, dependencies);

  const loops = divert(gateway, isLoop, {
    chat(input, context) {
      return whole(openChat(input, context), (within) =>
        chatLoop(input, (step) => unshown(gateway.chat(step, within)), tools, within),
      );
    },

    streamChat(input, context) {
      return opened(openChat(input, context), (ask: ReadStep<ChatAnswer, ChatPiece | ToolResultPiece>, within) =>
        chatLoop(input, (step) => ask(gateway.streamChat(step, within)), tools, within),
      );
    },

    generateFunctionCall(input, context) {
      return whole(openCall(input, context), (within) =>
        callLoop(input, (step) => unshown(gateway.generateFunctionCall(step, within)), tools, within),
      );
    },

    streamFunctionCall(input, context) {
      return opened(openCall(input, context), (ask: ReadStep<FunctionCallAnswer, FunctionCallPiece>, within) =>
        callLoop(input, (step) => ask(gateway.streamFunctionCall(step, within)), tools, within),
      );
    },
  });
  return {
    ...loops,

    async explain(input, context) {
      if (!('messages' in input) || !isLoop(input)) return await gateway.explain(input, context);
      const { all } = await loopTools(input.tools ?? [], '/tools', tools, context);
      return await gateway.explain({ ...input, tools: all }, context);
    },
  };
}

/** An answer that is shown only once it is complete. */
async function* unshown<A>(answer: Promise<A>): AsyncGenerator<never, A> {
  yield* [];
  return await answer;
}

async function* untilDone<P extends object, A>(
  events: AsyncIterable<P | Resumed | { readonly done: A }>,
): AsyncGenerator<P | Resumed, A> {
  for await (const event of events) {
    if ('done' in event) return event.done as A;
    yield event;
  }
  throw new Error('a stream ended without its answer');
}

/** Reads the stream of one step: its pieces, with the complete answer as the result. */
type ReadStep<A extends Answer, P> = (step: Promise<StreamedAnswer<A, P>>) => AsyncGenerator<P | Resumed, A>;

/**
 * Open a loop as a stream: its head is that of its first step, with its own id.
 *
 * @param loop Given a function that reads the stream of one step.
 */
async function opened<P extends object, E, A extends Answer & TokenCounts>(
  recorded: RecordedLoop,
  loop: (ask: ReadStep<A, P>, within: RequestContext) => AsyncGenerator<E | Resumed, A>,
): Promise<StreamedAnswer<A, E>> {
  const { id } = recorded;
  const head = Promise.withResolvers<Omit<StreamedAnswer<A, P>, 'events'>>();
  const ask: ReadStep<A, P> = async function* (step) {
    const { events, ...more } = await step;
    head.resolve(more);
    return yield* untilDone(events);
  };
  const pieces = loop(ask, recorded.within);
  try {
    const first = await pieces.next();
    recorded.opened();
    return { ...(await head.promise), id, events: Batched.from(eventsOf(first, pieces, recorded)) };
  } catch (error) {
    recorded.failed(error);
    recorded.close();
    throw error;
  }
}

async function* eventsOf<E, A extends Answer & TokenCounts>(
  first: IteratorResult<E, A>,
  pieces: AsyncGenerator<E, A>,
  recorded: RecordedLoop,
): AsyncGenerator<E | { readonly done: A }, void> {
  try {
    let step = first;
    for (; !step.done; step = await pieces.next()) yield step.value;
    recorded.answered(step.value);
    yield { done: { ...step.value, id: recorded.id } };
  } catch (error) {
    recorded.failed(error);
    throw error;
  } finally {
    recorded.close();
    await pieces.return(undefined as never);
  }
}
