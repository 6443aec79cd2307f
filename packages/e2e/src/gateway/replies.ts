import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldsOf, listOf } from '@patchbay/core/provider';
import { type Reply, type UpstreamAnswer, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';

const toolCalls = [{ name: 'weather', arguments: { city: 'Bern' } }];

/** The healthy answer to whatever was asked: a call of the function where there is one. */
export function fitting(answer: UpstreamAnswer = {}): Reply {
  return (exchange) => {
    const calls = hasTools(exchange.request) ? { toolCalls } : {};
    return upstreamReplies.healthy({ ...calls, ...answer })(exchange);
  };
}

export function hasTools({ json }: UpstreamRequest): boolean {
  return (listOf(fieldsOf(json)?.['tools']) ?? []).length > 0;
}

/** Whether the request asks for a stream, in any dialect. */
export function wantsStream({ path, body }: UpstreamRequest): boolean {
  return path.includes('alt=sse') || body.includes('"stream":true');
}

/** Begins a stream of events, and then sends nothing but comments, or nothing at all. */
export function streamWithoutEvents(commentEveryMs?: number): Reply {
  return async (exchange) => {
    const { closed } = exchange.request;
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    await exchange.write(head);
    while (!closed.aborted) {
      if (commentEveryMs === undefined) await once(closed, 'abort');
      else await Promise.race([once(closed, 'abort'), wait(commentEveryMs)]);
      await exchange.write('3\r\n:\n\n\r\n');
    }
  };
}

/** Refuses the content; where a vendor does so with an answer, in the form that was asked for. */
export function contentFilter(): Reply {
  return (exchange) => {
    const refused = exchange.dialect.refusal('content_filter');
    if (refused?.status !== 200 || !wantsStream(exchange.request))
      return upstreamReplies.refusal('content_filter')(exchange);
    const event = `data: ${JSON.stringify(refused.body)}\r\n\r\n`;
    return upstreamReplies.body(event, { contentType: 'text/event-stream' })(exchange);
  };
}
