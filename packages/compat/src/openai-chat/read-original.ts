import { fieldsOf, listOf, textOf } from '@patchbay/core/provider';
import { turnsOf } from '../forward/conversation-turns.ts';
import { reasoningDigest } from '../forward/digest.ts';
import { readChoice } from '../forward/read-choice.ts';
import { refuseDuplicates } from '../forward/refuse-duplicates.ts';
import { documentReader, eventReader } from '../forward/response-reader.ts';
import { chatCapabilities, surveyOf } from '../forward/survey.ts';
import type { ModelChoice, NamedMember, OriginalRequest } from '../gateway-types.ts';
import { Field, MAX_MESSAGES } from '../request/field.ts';
import type { TopLevel } from '../top-level.ts';
import { chatNotes, detailText } from './response-notes.ts';
import { sentChunks } from './sent-chunks.ts';
import { priceFactor } from './service-tier.ts';

/** A request as it was sent, and how its model is chosen. */
export interface Original {
  readonly choice: ModelChoice;
  readonly original: OriginalRequest;
}

/** A body, and a reader of the headers of its request. */
export interface SentRequest {
  readonly topLevel: TopLevel;
  readonly json: unknown;
  readonly header: OriginalRequest['header'];
}

/** Kinds of tools that the client runs. */
const clientTools: ReadonlySet<string> = new Set(['function', 'custom']);

/** Members that make a vendor search, or let others work. */
const vendorMembers = ['web_search_options', 'search_parameters', 'plugins', 'mcp_servers'] as const;

/**
 * The body of `POST /v1/chat/completions` for models whose provider has the same API. It is read as far as planning and
 * policies need it: the vendor decides about the rest.
 *
 * @throws PatchbayError `invalid_request` for members of wrong types.
 */
export function readOriginalChat({ topLevel, json, header }: SentRequest): Original {
  const body = new Field(json);
  const choice = readChoice(body);
  checkTypes(body);
  refuseDuplicates(topLevel.bytes);
  const members = body.object();
  const stream = members['stream'] === true;
  const options = fieldsOf(members['stream_options']) ?? {};
  const hidesUsage = stream && options['include_usage'] !== true;
  const { capabilities, storedIds, inputTokens } = surveyOf(members, ['messages', 'tools', 'functions']);
  const tools = [...(listOf(members['tools']) ?? []), ...(listOf(members['functions']) ?? [])];
  const usage = hidesUsage ? { stream_options: { ...options, include_usage: true } } : {};
  const choices = typeof members['n'] === 'number' ? members['n'] : 1;
  const style = { includeUsage: !hidesUsage, asFunctionCall: body.given('functions') !== undefined };
  const sent = () => (choices === 1 ? sentChunks(style) : undefined);
  const limits = [members['max_completion_tokens'], members['max_tokens']].filter((each) => typeof each === 'number');
  return {
    choice,
    original: {
      dialect: 'openai-chat',
      stream,
      header,
      bodyFor: (model) => topLevel.with({ model, routing: undefined, ...usage }),
      createReader: () => (stream ? eventReader(chatNotes(hidesUsage), sent()) : documentReader(chatNotes(false))),
      capabilities: chatCapabilities(capabilities, {
        hasTools: tools.length > 0,
        hasFormat: fieldsOf(members['response_format'])?.['type'] === 'json_schema',
      }),
      inputTokens,
      maxTokens: limits.length > 0 ? Math.max(...limits) : undefined,
      choices,
      priceFactor: priceFactor(textOf(members['service_tier']) ?? 'default'),
      vendorTools: vendorToolsOf(body),
      storedIds: [...storedIds, ...audioIds(body)],
      conversing: { session: textOf(members['prompt_cache_key']), turns: () => turnsOf(members['messages']) },
      reasoning: reasoningOf(body),
      isReasoningSigned: false,
      isOurs: packsReasoning(body),
    },
  };
}

/** Refuses members that the vendor would not even read, or that count in a budget. */
function checkTypes(body: Field): void {
  const messages = body.member('messages');
  if (messages.list({ max: MAX_MESSAGES }).length === 0) messages.fail('invalid_value', 'must not be an empty list');
  for (const message of messages.list()) {
    message.member('role').name();
    const parts = message.given('content')?.textOrList() ?? '';
    if (typeof parts !== 'string') for (const part of parts) part.member('type').name();
    for (const call of message.given('tool_calls')?.list() ?? []) call.object();
  }
  for (const tool of body.given('tools')?.list() ?? []) {
    if (tool.member('type').name() === 'function') tool.member('function').member('name').name();
  }
  for (const tool of body.given('functions')?.list() ?? []) tool.member('name').name();
  for (const name of ['max_tokens', 'max_completion_tokens', 'n']) body.given(name)?.integer({ min: 1 });
  for (const name of ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty']) body.given(name)?.number();
  body.given('stream')?.flag();
  body.given('stream_options')?.object();
  body.given('service_tier')?.text();
}

function vendorToolsOf(body: Field): readonly NamedMember[] {
  const tools = (body.given('tools')?.list() ?? []).map((tool) => tool.member('type'));
  const run = tools
    .filter((type) => !clientTools.has(type.text()))
    .map(({ pointer, value }) => ({ pointer, name: String(value) }));
  const members = vendorMembers.filter((name) => body.given(name));
  return [...run, ...members.map((name) => ({ pointer: `/${name}`, name }))];
}

/** Speech that the model made before, which the vendor stores. */
function audioIds(body: Field): readonly NamedMember[] {
  return body
    .member('messages')
    .list()
    .flatMap((message) => {
      const audio = message.given('audio');
      const id = textOf(fieldsOf(audio?.value)?.['id']);
      return audio === undefined || id === undefined ? [] : [{ pointer: `${audio.pointer}/id`, name: id }];
    });
}

/** Reasoning of earlier turns: as text, or in the form of OpenRouter. Either may be left out by the client. */
function reasoningOf(body: Field): readonly string[] {
  const turns = body
    .member('messages')
    .list()
    .map((message) => message.object());
  const texts = turns.flatMap((message) => [
    textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '',
    detailText(message['reasoning_details']),
  ]);
  return texts.filter((text) => text !== '').map(reasoningDigest);
}

/** The details of reasoning show whose it is only if they were written here. */
function packsReasoning(body: Field): boolean {
  const details = body
    .member('messages')
    .list()
    .flatMap((message) => listOf(message.object()['reasoning_details']) ?? []);
  return details.some((detail) => fieldsOf(detail)?.['by'] !== undefined);
}
