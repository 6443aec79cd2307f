import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { definedMembers } from '@patchbay/outbound/provider-kit/transport-options';
import { type AnswerPart, close } from './ask-model.ts';
import type { ChatPiece, Resumed, TextPiece } from './gateway-service.ts';

interface Streaming<P, E, T, A> {
  /** Undefined for parts that are not shown. */
  readonly toEvent: (part: P) => E | undefined;
  /** @param route That of the model that continued the stream, if one did. */
  readonly finish: (result: T, route: string | undefined) => A;
  readonly failed: (error: unknown) => void;
  /** The stream is over, or its caller has left it. */
  readonly over: () => void;
}

/**
 * The events of a stream for its caller, as they arrive, with the answer as the last one. Throws if the stream fails.
 */
export async function* streamEvents<P extends object, E, T, A>(
  lists: AsyncGenerator<readonly (P | Resumed)[], T>,
  { toEvent, finish, failed, over }: Streaming<P, E, T, A>,
): AsyncGenerator<readonly (E | Resumed | { readonly done: A })[], void> {
  let route: string | undefined;
  try {
    let step = await lists.next();
    for (; !step.done; step = await lists.next()) {
      const events: (E | Resumed)[] = [];
      for (const part of step.value) {
        if ('resumed' in part) route = part.resumed.route;
        const event = 'resumed' in part ? part : toEvent(part);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) yield events;
    }
    yield [{ done: finish(step.value, route) }];
  } catch (error) {
    failed(error);
    throw error;
  } finally {
    close(lists);
    over();
  }
}

/** Maps the parts of one stream. A call that its provider sends complete is one piece. */
export function chatPieces(): (part: AnswerPart) => ChatPiece | undefined {
  const begun = new Set<string>();
  return (part) => {
    if (part.type === 'text') return textDelta(part);
    if (part.type === 'refusal') return { refusal: part.text };
    if (part.type === 'reasoning') return { reasoning: part.text, ...piecesOf(part) };
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

/** The text of a part, without anything else. */
export function textDelta(part: AnswerPart): TextPiece | undefined {
  return part.type === 'text' ? { delta: part.text, ...piecesOf(part) } : undefined;
}

function piecesOf({ pieces }: { readonly pieces?: readonly string[] }): { readonly pieces?: readonly string[] } {
  return pieces === undefined ? {} : { pieces };
}
