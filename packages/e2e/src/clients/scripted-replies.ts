import type { JsonObject } from '@patchbay/core/plugin';
import { fieldsOf, listOf } from '@patchbay/core/provider';
import { type Reply, type UpstreamAnswer, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';

/**
 * Asks for the weather in two cities at once. Compares them as soon as it is shown both results.
 *
 * @param reasoning What the vendor shows of its reasoning before it asks.
 */
export function askingForWeather(reasoning?: UpstreamAnswer['reasoning']): Reply {
  return (exchange) => {
    const { body } = exchange.request;
    const isTold = ['21 degrees in Bern', '18 degrees in Basel'].every((result) => body.includes(result));
    const calls = ['Bern', 'Basel'].map((city) => ({ name: 'weather', arguments: { city } }));
    const asking = { toolCalls: calls, ...(reasoning && { reasoning }) };
    return upstreamReplies.healthy(isTold ? { text: 'Bern is warmer.' } : asking)(exchange);
  };
}

/** Answers with an object in the way it was asked for: as arguments of a tool, or as a text. */
export function answeringWith(value: JsonObject): Reply {
  return (exchange) => {
    const name = firstTool(exchange.request);
    const answer = name === undefined ? { text: JSON.stringify(value) } : { toolCalls: [{ name, arguments: value }] };
    return upstreamReplies.healthy(answer)(exchange);
  };
}

/** The name of the first tool of a request, in any dialect. */
function firstTool({ json }: UpstreamRequest): string | undefined {
  const tool = fieldsOf(listOf(fieldsOf(json)?.['tools'])?.[0]);
  const declared = fieldsOf(tool?.['function']) ?? fieldsOf(listOf(tool?.['functionDeclarations'])?.[0]) ?? tool;
  return declared && String(declared['name']);
}
