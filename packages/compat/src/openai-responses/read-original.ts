import { fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/core/provider';
import { readProof } from '../anthropic-messages/reasoning-proof.ts';
import { turnsOf } from '../forward/conversation-turns.ts';
import { reasoningDigest } from '../forward/digest.ts';
import { readChoice } from '../forward/read-choice.ts';
import { refuseDuplicates } from '../forward/refuse-duplicates.ts';
import { documentReader, eventReader } from '../forward/response-reader.ts';
import { chatCapabilities, surveyOf } from '../forward/survey.ts';
import type { NamedMember, OriginalRequest } from '../gateway-types.ts';
import type { Original, SentRequest } from '../openai-chat/read-original.ts';
import { priceFactor } from '../openai-chat/service-tier.ts';
import { Field, MAX_MESSAGES } from '../request/field.ts';
import { requestError } from '../request/request-error.ts';
import { isReference, namedItems } from './named-items.ts';
import type { KnownItems } from './parse-items.ts';
import { type ItemNotes, responseNotes } from './response-notes.ts';
import { sentItems } from './sent-items.ts';
import { vendorToolsOf } from './vendor-tools.ts';

/** A body, a reader of its headers, and the items that this server returned before, as far as the body names them. */
export interface SentResponsesRequest extends SentRequest {
  readonly known: KnownItems;
}

export interface OriginalResponse extends Original {
  /** The items of a forwarded response for `item_reference`, once it is complete. */
  readonly output: () => ItemNotes['items'];
}

/**
 * The body of `POST /v1/responses` for models whose provider has the same API. It is read as far as planning and policies need
 * it: the vendor decides about the rest.
 *
 * @throws PatchbayError `invalid_request` for members of wrong types.
 */
export function readOriginalResponse(sent: SentResponsesRequest): OriginalResponse {
  const body = new Field(sent.json);
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  const background = body.member('background');
  if (background.maybe((field) => field.flag())) {
    background.fail('unsupported_value', 'must be false: responses are made while the client waits');
  }
  const withProofs = (listOf(body.object()['include']) ?? []).includes('reasoning.encrypted_content');
  let output: ItemNotes['items'];
  let notes: ItemNotes | undefined;
  const onComplete = async (items: readonly object[]): Promise<void> => {
    output = items.map((item) => ({ ...item }));
  };
  const createReader = () => {
    notes = responseNotes();
    return stream ? eventReader(notes, sentItems({ withProofs, now: Date.now, onComplete })) : documentReader(notes);
  };
  return {
    ...readBody(body, sent, { dialect: 'openai-responses', stream, createReader, conversing: conversingOf(body) }),
    output: () => output ?? notes?.items,
  };
}

/** The body of `POST /v1/responses/compact` for the same models. */
export function readOriginalCompaction(sent: SentResponsesRequest): Original {
  const createReader = () => documentReader(responseNotes());
  return readBody(new Field(sent.json), sent, { dialect: 'openai-compaction', stream: false, createReader });
}

/**
 * Of a conversation that cannot be forwarded: a compaction is a secret of its vendor.
 *
 * @throws PatchbayError `invalid_request`.
 */
export function refuseCompaction(): never {
  const detail = 'cannot compact this conversation: models of OpenAI can, if it has no items of others';
  throw requestError('/model', 'unsupported_value', detail);
}

function readBody(
  body: Field,
  { topLevel, header, known }: SentResponsesRequest,
  kind: Pick<OriginalRequest, 'dialect' | 'stream' | 'createReader' | 'conversing'>,
): Original {
  const choice = readChoice(body);
  checkTypes(body);
  refuseDuplicates(topLevel.bytes);
  const members = body.object();
  const { capabilities, storedIds, inputTokens } = surveyOf(members, ['instructions', 'input', 'tools']);
  const named = namedItems(members);
  // Those that were made here have no vendor: a body that names one is never forwarded unchanged.
  const origins = named.filter(({ id, type }) => type === 'reasoning' || known.has(id)).map(({ id }) => id);
  const proofs = proofsOf(members);
  return {
    choice,
    original: {
      ...kind,
      header,
      bodyFor: (model) => topLevel.with({ model, routing: undefined }),
      capabilities: chatCapabilities(capabilities, {
        hasTools: (listOf(members['tools']) ?? []).length > 0,
        hasFormat: formatOf(members) === 'json_schema',
      }),
      inputTokens,
      maxTokens: body.member('max_output_tokens').maybe((field) => field.integer({ min: 1 })),
      choices: 1,
      priceFactor: priceFactor(textOf(members['service_tier']) ?? 'default'),
      vendorTools: vendorToolsOf(members),
      storedIds: [...storedIds, ...stateOf(members), ...named.map(({ pointer, id }) => ({ pointer, name: id }))],
      reasoning: [...proofs.map(reasoningDigest), ...origins],
      isReasoningSigned: origins.length === 0,
      isOurs: proofs.some((proof) => readProof(proof) !== undefined) || hasNamelessReasoning(members),
    },
  };
}

function conversingOf(body: Field): OriginalRequest['conversing'] {
  const { input, instructions, prompt_cache_key: session } = body.object();
  return { session: textOf(session), turns: () => turnsOf(input, instructions) };
}

/** Refuses members that the vendor would not even read, or that count in a budget. */
function checkTypes(body: Field): void {
  const input = body.member('input');
  const items = input.maybe((field) => field.textOrList({ max: MAX_MESSAGES })) ?? '';
  if (typeof items !== 'string') for (const item of items) checkItem(item);
  if (items.length === 0 && input.isGiven && stateOf(body.object()).length === 0) {
    input.fail('invalid_value', 'must not be empty');
  }
  for (const tool of body.member('tools').maybe((tools) => tools.list()) ?? []) {
    if (tool.member('type').name() === 'function') tool.member('name').name();
  }
  for (const name of ['temperature', 'top_p']) body.member(name).maybe((field) => field.number());
  for (const name of ['instructions', 'previous_response_id', 'service_tier']) {
    body.member(name).maybe((field) => field.text());
  }
  for (const name of ['stream_options', 'reasoning', 'text', 'prompt']) {
    body.member(name).maybe((field) => field.object());
  }
}

function checkItem(item: Field): void {
  if (isReference(item.object()) || (item.member('type').maybe((type) => type.name()) ?? 'message') !== 'message')
    return;
  item.member('role').name();
  const content = item.member('content').textOrList();
  if (typeof content !== 'string') for (const part of content) part.member('type').name();
}

const formatOf = (members: JsonFields): unknown => fieldsOf(fieldsOf(members['text'])?.['format'])?.['type'];

/** Conversations and prompts that OpenAI stores. */
function stateOf(members: JsonFields): readonly NamedMember[] {
  const { previous_response_id: previous, conversation, prompt } = members;
  const ids = {
    '/previous_response_id': previous,
    '/conversation': conversation,
    '/conversation/id': fieldsOf(conversation)?.['id'],
    '/prompt/id': fieldsOf(prompt)?.['id'],
  };
  return Object.entries(ids).flatMap(([pointer, id]) => (typeof id === 'string' ? [{ pointer, name: id }] : []));
}

const itemsOf = ({ input }: JsonFields): readonly JsonFields[] =>
  (listOf(input) ?? []).map((item) => fieldsOf(item) ?? {});

/** The encrypted parts: reasoning of the vendor, and conversations that it compacted. */
function proofsOf(members: JsonFields): readonly string[] {
  const proofs = itemsOf(members).map((item) => textOf(item['encrypted_content']) ?? '');
  return proofs.filter((proof) => proof !== '');
}

/** Reasoning that has neither a proof nor a name could be from any vendor. */
function hasNamelessReasoning(members: JsonFields): boolean {
  return itemsOf(members).some(({ type, id, encrypted_content: proof }) => type === 'reasoning' && !proof && !id);
}
