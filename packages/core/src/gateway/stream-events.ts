import { close } from './ask-model.ts';
import type { Resumed } from './gateway-service.ts';

interface Streaming<P, E, T, A> {
  /** Undefined for parts that are not shown. */
  readonly toEvent: (part: P) => E | undefined;
  /** @param route That of the model that continued the stream, if one did. */
  readonly finish: (result: T, route: string | undefined) => A;
  readonly failed: (error: unknown) => void;
  /** The stream is over, or its caller has left it. */
  readonly over: () => void;
}

/** The events of a stream for its caller, with the answer as the last one. Throws where the stream fails. */
export async function* streamEvents<P extends object, E, T, A>(
  parts: AsyncGenerator<P | Resumed, T>,
  { toEvent, finish, failed, over }: Streaming<P, E, T, A>,
): AsyncGenerator<E | Resumed | { readonly done: A }, void> {
  let route: string | undefined;
  try {
    let step = await parts.next();
    for (; !step.done; step = await parts.next()) {
      const part = step.value;
      if ('resumed' in part) route = part.resumed.route;
      const event = 'resumed' in part ? part : toEvent(part);
      if (event !== undefined) yield event;
    }
    yield { done: finish(step.value, route) };
  } catch (error) {
    failed(error);
    throw error;
  } finally {
    close(parts);
    over();
  }
}
