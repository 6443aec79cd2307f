import type { JsonFields } from '@patchbay/core/provider';
import type { ChatEvent, ResumePoint } from '../gateway-types.ts';

/** Follows the events of one dialect that the caller receives, up to where another model can continue them. */
export interface SentStream {
  read(document: JsonFields): void;
  /** Undefined if the stream contains something that only its own model can continue. */
  readonly resumePoint: ResumePoint | undefined;
}

/**
 * @param text Called if the stream is continued.
 * @param write Writes the events after those that were sent, up to the end of the stream.
 */
export function resumePoint(
  text: () => string,
  write: (events: AsyncIterable<readonly ChatEvent[]>) => AsyncIterable<string>,
): ResumePoint {
  return {
    get text() {
      return text();
    },
    async *write(events) {
      for await (const piece of write(events)) yield Buffer.from(piece);
    },
  };
}
