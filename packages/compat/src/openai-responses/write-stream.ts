import { errorCodes, PatchbayError } from '@patchbay/core';
import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import type { Responses } from 'openai/resources/responses/responses';
import { resumedComment } from '../forward/resumed-comment.ts';
import type { ChatEvent } from '../gateway-types.ts';
import { type ItemOptions, ItemWriter } from './item-writer.ts';
import type { OutputItem } from './output-items.ts';
import { type Outcome, type RequestEcho, type ResponseHead, responseObject } from './response-object.ts';
import { outcomeOf } from './serialize-response.ts';

export interface StreamOptions extends ItemOptions {
  readonly echo: RequestEcho;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the items, and awaited, before the client learns that the response is complete. */
  readonly onComplete?: (items: readonly OutputItem[]) => Promise<void>;
}

/** A response that has begun, whose next events are still to be written. */
export interface BegunResponse extends Pick<StreamOptions, 'now' | 'onComplete'> {
  readonly items: ItemWriter;
  /** The response as it will finally be. */
  readonly ended: (outcome: Outcome) => JsonObject;
  /** The text of an event, with the next number. */
  readonly numbered: (event: { readonly type: string; readonly response?: JsonObject }) => string;
}

/** Numbers events, and serializes them. */
export function numberedFrom(first: number): BegunResponse['numbered'] {
  let sequence = first;
  return (event) => {
    const data = JSON.stringify({ ...event, sequence_number: sequence });
    sequence += 1;
    return `event: ${event.type}\ndata: ${data}\n\n`;
  };
}

/**
 * The server-sent events of a response, numbered from 0, those of pieces that arrive together in one text. `response.completed` and `[DONE]` end a complete one only; one that
 * fails ends with `response.failed`.
 *
 * @throws What `events` throw, after `response.failed`, to be sent as `errorEvent`; Error if they end without the answer.
 */
export async function* writeResponseStream(
  head: ResponseHead,
  events: AsyncIterable<readonly ChatEvent[]>,
  { echo, withProofs, names, ...options }: StreamOptions,
): AsyncGenerator<string> {
  const [items, numbered] = [new ItemWriter(head, { withProofs, names }), numberedFrom(0)];
  const ended = (outcome: Outcome) => responseObject(head, echo, outcome);
  const begun = ended({ status: 'in_progress', output: [] });
  yield numbered({ type: 'response.created', response: begun });
  yield numbered({ type: 'response.in_progress', response: begun });
  try {
    yield* writeItems({ ...options, items, numbered, ended }, events);
  } catch (error) {
    const outcome = { status: 'failed', output: items.output, error: failureOf(error) } as const;
    yield numbered({ type: 'response.failed', response: ended(outcome) });
    throw error;
  }
}

/** The events from the next item on. */
export async function* writeItems(
  { items, numbered, ended, now, onComplete }: BegunResponse,
  batches: AsyncIterable<readonly ChatEvent[]>,
): AsyncGenerator<string> {
  for await (const events of batches) {
    let text = '';
    for (const event of events) {
      if ('resumed' in event) {
        for (const each of items.resume(event.resumed.model)) text += numbered(each);
        text += resumedComment(event);
      } else if ('done' in event) {
        const outcome = outcomeOf(event.done, now());
        const status = outcome.status === 'completed' ? 'completed' : 'incomplete';
        for (const each of items.end(status)) text += numbered(each);
        if (text !== '') yield text;
        await onComplete?.(items.complete);
        // Headers have long been sent. Clients skip comments, and people who look at the stream find them.
        const warnings = event.done.warnings.map((each) => `: warning: ${each.replaceAll(/[\r\n]+/g, ' ')}\n\n`);
        const last = numbered({ type: `response.${status}`, response: ended({ ...outcome, output: items.output }) });
        yield `${warnings.join('')}${last}data: [DONE]\n\n`;
        return;
      } else for (const each of items.write(event)) text += numbered(each);
    }
    if (text !== '') yield text;
  }
  throw new Error('the stream ended without its answer');
}

/** Only the name of the failure: its details, without secrets, follow in the event of the error. */
function failureOf(error: unknown): Responses.ResponseError {
  const code = PatchbayError.is(error) && Object.hasOwn(errorCodes, error.code) ? error.code : 'internal_error';
  const isLimit = code === 'provider_rate_limited' || code === 'rate_limited';
  return { code: isLimit ? 'rate_limit_exceeded' : 'server_error', message: `${errorCodes[code].title} (${code})` };
}

/**
 * The last event of a failing stream. OpenAI has its members in the event itself, Open Responses within `error`.
 *
 * @param body Of the error response that the request would have had.
 * @param last The piece before it, whose number it follows: its last event may be one of OpenAI.
 */
export function errorEvent(body: string, last: string | Uint8Array): string {
  const { error } = JSON.parse(body) as { readonly error: OpenAI.ErrorObject };
  const [, number = -1] = [...String(last).matchAll(/"sequence_number": ?(\d+)/g)].at(-1) ?? [];
  const sequence_number = Number(number) + 1;
  const { code, message, param } = error;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number, code, message, param, error })}\n\n`;
}
