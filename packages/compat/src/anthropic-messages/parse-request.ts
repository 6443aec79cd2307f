import type Anthropic from '@anthropic-ai/sdk';
import type { Schema } from '@patchbay/core/plugin';
import { definedMembers, type Message } from '@patchbay/core/provider';
import type { ChatInput, ModelChoice, Routing } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { Fields } from './fields.ts';
import { invalidRequest, placeOf, refusedAt, THREAD_UNSUPPORTED, unsupported } from './invalid-request.ts';
import { Notes } from './notes.ts';
import { parseMessages } from './parse-messages.ts';
import { parseReasoning } from './parse-reasoning.ts';
import { parseToolUse } from './parse-tools.ts';

/** Members that newer versions of the SDK no longer have, or only as betas, and that clients send. */
interface FurtherMembers
  extends Pick<Anthropic.Beta.MessageCreateParamsNonStreaming, 'output_format' | 'mcp_servers' | 'thread'> {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly routing?: Routing;
}

type Body = Anthropic.MessageCreateParamsNonStreaming & FurtherMembers;

/** A request of `POST /v1/messages` in the terms of the gateway. */
export interface MessagesRequest {
  readonly choice: ModelChoice;
  /** With the members of `choice`. */
  readonly input: ChatInput & { readonly messages: readonly Message[] };
  readonly stream: boolean;
  /** One sentence for each member that only models of Anthropic follow. */
  readonly warnings: readonly string[];
}

/**
 * Read the body of `POST /v1/messages`, for a model of any vendor.
 *
 * @throws PatchbayError `invalid_request`, and nothing else, with the place of the member in the words of Anthropic's API.
 */
export function parseMessagesRequest(body: unknown): MessagesRequest {
  const fields = new Fields<Body>(body, '');
  fields.required('max_tokens');
  return parseBody(fields);
}

/** Read the body of `POST /v1/messages/count_tokens`: the same members, and no limit of tokens. */
export function parseCountTokensRequest(body: unknown): MessagesRequest {
  return parseBody(new Fields<Body>(body, ''));
}

function parseBody(body: Fields<Body>): MessagesRequest {
  const notes = new Notes();
  const routing = new Field(body.get('routing'));
  const choice: ModelChoice = {
    model: body.name('model'),
    ...definedMembers({ routing: refusedAt(body.at('routing'), () => routing.maybe(readRouting)) }),
  };
  refuseVendorMembers(body);
  const maxTokens = body.number('max_tokens', { min: 1, isInteger: true });
  const messages = parseMessages(body.as(), notes);
  const tools = parseToolUse(body.as(), notes);
  const output = body.optionalObject<Anthropic.OutputConfig>('output_config');
  const reasoningEffort = parseReasoning(body.as(), output, notes);
  const responseSchema = parseResponseSchema(body, output);
  const sampling = definedMembers({
    maxTokens,
    temperature: body.number('temperature', { min: 0, max: 1 }),
    topP: body.number('top_p', { min: 0, max: 1 }),
    stop: parseStop(body),
    reasoningEffort,
    responseSchema,
  });
  const stream = body.flag('stream') ?? false;
  const input = { ...choice, messages, ...sampling, ...tools, ...keptMembers(body, output, notes) };
  return { choice, input, stream, warnings: notes.all };
}

/** Members whose loss would change more than the answer: where data may be, and what Anthropic holds or runs. */
function refuseVendorMembers(body: Fields<Body>): void {
  if (body.get('inference_geo') !== undefined) {
    throw unsupported(body.at('inference_geo'), 'only Anthropic can promise where its models run');
  }
  if (body.get('container') !== undefined) {
    throw unsupported(body.at('container'), 'containers run at Anthropic, for its models only');
  }
  if (body.get('thread') !== undefined) {
    // Clients know this code: they send the whole conversation then, as they do without threads.
    const detail = 'this server keeps no conversations: send all messages';
    throw invalidRequest(body.at('thread'), detail, THREAD_UNSUPPORTED);
  }
  const servers = body.list('mcp_servers') ?? [];
  if (servers.length > 0) throw unsupported(body.at('mcp_servers'), 'Anthropic calls MCP servers for its models only');
}

function parseStop(body: Fields<Body>): readonly string[] | undefined {
  const stop = body.texts('stop_sequences') ?? [];
  for (const [index, text] of stop.entries()) {
    if (text.trim() !== '') continue;
    const place = placeOf(body.at('stop_sequences'), index);
    throw invalidRequest(place, 'each stop sequence must contain non-whitespace', 'pattern');
  }
  return stop.length === 0 ? undefined : stop;
}

function parseResponseSchema(
  body: Fields<Body>,
  output: Fields<Anthropic.OutputConfig> | undefined,
): Schema | undefined {
  const format =
    output?.optionalObject<Anthropic.JSONOutputFormat>('format') ??
    body.optionalObject<Anthropic.JSONOutputFormat>('output_format');
  if (!format) return undefined;
  format.oneOf('type', ['json_schema']);
  return format.json('schema') as Schema;
}

/** To be called last: it takes what was not read. */
function keptMembers(body: Fields<Body>, output: Fields<Anthropic.OutputConfig> | undefined, notes: Notes) {
  body.number('top_k', { min: 0, isInteger: true });
  body.optionalObject('metadata');
  const top = body.rest('top_k', 'metadata');
  const more = output?.rest();
  return notes.keep(more ? { ...top, output_config: more } : top);
}
