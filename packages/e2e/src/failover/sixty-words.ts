import { type Reply, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';

/** The text that every model of these tests writes. */
export const sixtyWords =
  'A gateway earns trust on the day its provider fails: it notices early, waits no longer than told, asks again once ' +
  'and not a hundred times, moves to another before the reader looks away, repeats no word and loses none, says plainly ' +
  'when it cannot go on, charges what was used, and returns when the first model is well again.';

/** The usage of the whole text, as the vendors count it. */
export const tokens = { uncachedInputTokens: 21, outputTokens: 60 };

export const whole = { text: sixtyWords, usage: tokens };

/** A model that works: it writes the text, or the rest of it where the conversation ends with its beginning. */
export function writer(): Reply {
  return (exchange) => {
    const begun = prefillOf(exchange.request);
    const isContinued = begun !== '' && sixtyWords.startsWith(begun);
    return upstreamReplies.healthy(isContinued ? { ...whole, text: sixtyWords.slice(begun.length) } : whole)(exchange);
  };
}

/** A model that works, but takes no conversation that ends with a message of the assistant. */
export function writerWithoutPrefill(): Reply {
  const refused = upstreamReplies.status(400, { message: 'The conversation must end with a user message.' });
  return (exchange) => (prefillOf(exchange.request) === '' ? writer() : refused)(exchange);
}

/** The text of the assistant with which a request ends, in any of the dialects. */
function prefillOf({ json }: UpstreamRequest): string {
  const { messages, input } = json as {
    readonly messages?: readonly Turn[];
    readonly input?: readonly Turn[] | string;
  };
  const turns = messages ?? input;
  const last = typeof turns === 'object' ? turns.at(-1) : undefined;
  if (last?.role !== 'assistant') return '';
  return typeof last.content === 'string' ? last.content : last.content.map(({ text = '' }) => text).join('');
}

interface Turn {
  readonly role?: string;
  readonly content: string | readonly { readonly text?: string }[];
}
