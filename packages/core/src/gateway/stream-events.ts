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
