import { fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/core/provider';
import { turnsOf } from '../forward/conversation-turns.ts';
import { reasoningDigest } from '../forward/digest.ts';
import { readChoice } from '../forward/read-choice.ts';
import { refuseDuplicates } from '../forward/refuse-duplicates.ts';
import { badResponse, documentReader, eventReader, noOutcome, type ResponseNotes } from '../forward/response-reader.ts';
import { chatCapabilities, surveyOf } from '../forward/survey.ts';
import type { NamedMember, OriginalRequest } from '../gateway-types.ts';
import type { Original, SentRequest } from '../openai-chat/read-original.ts';
import { Field, MAX_MESSAGES } from '../request/field.ts';
import { priceFactor } from './price-factor.ts';
import { hasProofs } from './reasoning-proof.ts';
import { requestMembers } from './request-body.ts';
import { messageNotes } from './response-notes.ts';
import { sentBlocks } from './sent-blocks.ts';

/** Tools of Anthropic that the client runs, and those that only search the caller's own. */
const clientTools = /^(custom|(bash|text_editor|computer|memory|tool_search_tool)(_\w+)?)$/;

/**
 * The body of `POST /v1/messages` for models whose provider has the same API. It is read as far as planning and policies need
 * it: the vendor decides about the rest.
 *
 * @throws PatchbayError `invalid_request` for members of wrong types.
 */
export function readOriginalMessages(sent: SentRequest): Original {
  const body = new Field(sent.json);
  const maxTokens = body.member('max_tokens').integer({ min: 1 });
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  const createReader = () => (stream ? eventReader(messageNotes(), sentBlocks()) : documentReader(messageNotes()));
  return readBody(body, sent, { dialect: 'anthropic-messages', stream, maxTokens, createReader });
}

/** The body of `POST /v1/messages/count_tokens` for the same models. */
export function readOriginalCount(sent: SentRequest): Original {
  const createReader = () => documentReader(countNotes());
  return readBody(new Field(sent.json), sent, { dialect: 'anthropic-count-tokens', stream: false, createReader });
}

function readBody(
  body: Field,
  { topLevel, header }: SentRequest,
  kind: Pick<OriginalRequest, 'dialect' | 'stream' | 'maxTokens' | 'createReader'>,
): Original {
  const choice = readChoice(body);
  checkTypes(body);
  refuseDuplicates(topLevel.bytes);
  // Another model could not continue with what only Anthropic knows, and all tenants share the key that stores it.
  const thread = body.member('thread');
  if (thread.isGiven) thread.fail('unsupported_parameter', requestMembers.rejected.thread);
  const members = body.object();
  const { capabilities, storedIds, inputTokens } = surveyOf(members, ['system', 'messages', 'tools']);
  const format = fieldsOf(members['output_config'])?.['format'] ?? members['output_format'];
  return {
    choice,
    original: {
      ...kind,
      header,
      bodyFor: (model) => topLevel.with({ model, routing: undefined }),
      capabilities: chatCapabilities(capabilities, {
        hasTools: (listOf(members['tools']) ?? []).length > 0,
        hasFormat: Boolean(format),
      }),
      inputTokens,
      choices: 1,
      priceFactor: priceFactor(members),
      vendorTools: vendorToolsOf(body),
      storedIds: [...storedIds, ...containerIds(body)],
      conversing: {
        session: header('x-claude-code-session-id'),
        turns: () => turnsOf(members['messages'], members['system']),
      },
      reasoning: reasoningOf(members),
      isReasoningSigned: true,
      isOurs: hasProofs(topLevel.bytes),
    },
  };
}

/** Refuses members that the vendor would not even read. */
function checkTypes(body: Field): void {
  const texts = (field: Field): void => {
    const blocks = field.textOrList();
    if (typeof blocks !== 'string') for (const block of blocks) block.member('type').name();
  };
  const messages = body.member('messages');
  if (messages.list({ max: MAX_MESSAGES }).length === 0) messages.fail('invalid_value', 'must not be an empty list');
  for (const message of messages.list()) {
    message.member('role').name();
    texts(message.member('content'));
  }
  body.member('system').maybe(texts);
  for (const tool of body.member('tools').maybe((tools) => tools.list()) ?? []) {
    const type = tool.member('type').maybe((field) => field.text()) ?? 'custom';
    if (type === 'custom') tool.member('name').name();
  }
  for (const name of ['temperature', 'top_p', 'top_k']) body.member(name).maybe((field) => field.number());
  body.member('stop_sequences').maybe((field) => field.list().map((text) => text.text()));
}

function vendorToolsOf(body: Field): readonly NamedMember[] {
  const types = (body.member('tools').maybe((field) => field.list()) ?? []).map((tool) => tool.member('type'));
  const run = types.filter((type) => type.isGiven && !clientTools.test(type.text()));
  const servers = body.member('mcp_servers');
  const skills = body
    .member('container')
    .maybe((field) => new Field(fieldsOf(field.value)?.['skills'], `${field.pointer}/skills`));
  const members = [servers, skills].flatMap((field) => (field?.isGiven && field.list().length > 0 ? [field] : []));
  return [
    ...run.map(({ pointer, value }) => ({ pointer, name: String(value) })),
    ...members.map(({ pointer }) => ({ pointer, name: pointer.slice(pointer.lastIndexOf('/') + 1) })),
  ];
}

/** The container of an earlier response, and skills that someone has stored under the server's key. */
function containerIds(body: Field): readonly NamedMember[] {
  const container = body.member('container');
  if (!container.isGiven) return [];
  const { pointer, value } = container;
  if (typeof value === 'string') return [{ pointer, name: value }];
  const { id, skills } = container.object() as JsonFields;
  const own = (listOf(skills) ?? []).flatMap((each, index) => {
    const skill = fieldsOf(each) ?? {};
    const name = textOf(skill['skill_id']) ?? '';
    return skill['type'] === 'anthropic' ? [] : [{ pointer: `${pointer}/skills/${index}/skill_id`, name }];
  });
  return [...(textOf(id) === undefined ? [] : [{ pointer: `${pointer}/id`, name: textOf(id) ?? '' }]), ...own];
}

/** The signatures of thinking, and thinking that only Anthropic reads. */
function reasoningOf(body: JsonFields): readonly string[] {
  const blocks = (listOf(body['messages']) ?? []).flatMap((message) => listOf(fieldsOf(message)?.['content']) ?? []);
  return blocks.flatMap((value) => {
    const { type, signature, data } = fieldsOf(value) ?? {};
    const proof = textOf(type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined) ?? '';
    return proof === '' ? [] : [reasoningDigest(proof)];
  });
}

function countNotes(): ResponseNotes {
  let isComplete = false;
  return {
    found: noOutcome(),
    hasOutput: false,
    get isComplete() {
      return isComplete;
    },
    read({ input_tokens: tokens }) {
      if (!Number.isSafeInteger(tokens)) throw badResponse('has no count');
      isComplete = true;
    },
  };
}
