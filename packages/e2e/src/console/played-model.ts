import { type Reply, upstreamReplies } from '@patchbay/testing';

const ticket = { label: 'billing', urgent: true, reason: 'The customer was charged twice.' };

/** A model of a vendor: fields where a schema asks for them, words otherwise. @param word Changes what it says. */
export function playedModel(word: (text: string) => string = (text) => text): Reply {
  return (exchange) => {
    const isObject = /"(?:json_schema|response_format|output_config|output_format)"/.test(exchange.request.body);
    const text = isObject
      ? JSON.stringify({ ...ticket, reason: word(ticket.reason) })
      : word('The invoice was sent twice, and one of them will be cancelled.');
    return upstreamReplies.healthy({ text })(exchange);
  };
}
