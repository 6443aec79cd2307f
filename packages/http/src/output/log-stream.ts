import type { LogEvent, LogPlace } from '../service-types.ts';

/** `Last-Event-ID` of a client that has seen everything. */
export const END_ID = 'end';

const placeId = /^([1-9]\d{0,8})-(\d{1,9})$/;

/** The place that an event id stands for. Undefined where it is none of ours. */
export function readPlace(id: string): LogPlace | undefined {
  const [, attempt, lines] = placeId.exec(id) ?? [];
  return attempt === undefined ? undefined : { attempt: Number(attempt), lines: Number(lines) };
}

/**
 * Logs as server-sent events: `log` for each line, then `end` with the status. The ids are places to go on from. A stream
 * that breaks off with `error` (a problem document), or without `end`, is not complete.
 */
export async function* logStream(events: AsyncIterable<LogEvent>): AsyncGenerator<string> {
  // At once, so that a client knows that it is connected before the first line.
  yield ': following\n\n';
  for await (const event of events) yield eventText(event);
}

function eventText(event: LogEvent): string {
  switch (event.kind) {
    case 'line': {
      const { attempt, lines } = event.place;
      return `id: ${attempt}-${lines}\nevent: log\ndata: ${JSON.stringify(event.line)}\n\n`;
    }
    case 'end': {
      const data = event.truncated ? { status: event.status, logsTruncated: true } : { status: event.status };
      return `id: ${END_ID}\nevent: end\ndata: ${JSON.stringify(data)}\n\n`;
    }
    case 'idle':
      // A comment: keeps proxies from taking the connection for dead.
      return ': nothing new\n\n';
  }
}
