import { PatchbayError } from '@patchbay/core';
import { prefersType } from '../input/headers.ts';
import { defineOperation } from '../operation.ts';
import { eventStreamType } from '../output/wire.ts';
import type { LogEvent, LogPlace } from '../service-types.ts';
import { executionId } from './pages.ts';

const followLogs = defineOperation({
  id: 'followExecutionLogs',
  method: 'GET',
  path: '/executions/:id/logs',
  area: 'functions',
  scope: 'functions:read',
  summary: 'Read or follow the logs of an execution',
  description:
    'Server-sent events: a `log` for each line, those of the past first, and at last `end` with the status. Waits for an ' +
    'execution that is queued. The lines of one that runs in another server come at its end. With `Accept: ' +
    'application/json`, the logs so far.',
  params: { id: executionId },
  headers: {
    Accept: '`application/json`: the logs so far, and no stream.',
    'Last-Event-ID': 'Id of the last event that was received: the stream goes on after it. After `end`: 204.',
  },
  success: {
    status: 200,
    description: 'The logs.',
    schema: 'ExecutionLogs',
    streams:
      '`log` for each line, with an `id` from which `Last-Event-ID` resumes; `end` with the status. A stream that ends ' +
      'without `end` was interrupted: reconnect.',
    otherwise: { 204: 'There is nothing after `end`.' },
  },
  errors: ['execution_not_found'],
  async handle({ params, context, header }, { services: { executions } }) {
    const { id } = params;
    if (prefersType(header('accept'), 'application/json', eventStreamType)) {
      const { status, lines, logsTruncated } = await executions.logs(id, context);
      return { json: { status, data: lines, ...(logsTruncated && { logsTruncated }) } };
    }
    const last = header('last-event-id');
    const from = last === undefined || last === '' || last === END_ID ? undefined : readPlace(last);
    if (last && last !== END_ID && from === undefined) {
      throw new PatchbayError('invalid_request', 'Last-Event-ID must be the id of an event of this stream');
    }
    const events = await executions.followLogs(id, from, context);
    // A client that reconnects automatically stops at this response (HTML standard, section 9.2.3).
    if (last === END_ID) return { status: 204, empty: true };
    return { stream: logStream(events), mediaType: eventStreamType };
  },
});

export const executionLogOperations = [followLogs];

/** `Last-Event-ID` of a client that has seen everything. */
const END_ID = 'end';

const placeId = /^([1-9]\d{0,8})-(\d{1,9})$/;

/** The position of an event id. Undefined for a foreign id. */
function readPlace(id: string): LogPlace | undefined {
  const [, attempt, lines] = placeId.exec(id) ?? [];
  return attempt === undefined ? undefined : { attempt: Number(attempt), lines: Number(lines) };
}

/**
 * Logs as server-sent events: `log` for each line, then `end` with the status. The ids allow resuming. A stream
 * that ends with `error` (a problem document), or without `end`, is incomplete.
 */
async function* logStream(events: AsyncIterable<LogEvent>): AsyncGenerator<string> {
  // Immediately, so that a client knows that it is connected before the first line.
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
      // A comment that keeps the connection open through proxies.
      return ': nothing new\n\n';
  }
}
