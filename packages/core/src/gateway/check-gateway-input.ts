import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { AssistantPart, ContentPart, Message } from '@patchbay/contracts/message';
import type { ToolCall } from '@patchbay/contracts/provider';
import { describeFault } from '@patchbay/contracts/schema/compile-schema';
import { checkPublicUrl } from '@patchbay/outbound/egress/public-url';
import { assistantContent, contentText } from '@patchbay/outbound/provider-kit/message-content';
import { Ajv2020 as Validator } from 'ajv/dist/2020.js';
import type { EmbedInput, GenerateInput, ToolChatInput, ToolFunctionCallInput } from './gateway-service.ts';
import { gatewayRequestSchemas } from './request-schemas.ts';
import { toolTurnFaults } from './tool-turns.ts';

/** The members of each kind of request. */
export interface GatewayInputs {
  readonly GenerateRequest: GenerateInput;
  readonly ChatRequest: ToolChatInput;
  readonly EmbeddingRequest: EmbedInput;
  readonly FunctionCallRequest: ToolFunctionCallInput;
}

/** @throws PatchbayError `invalid_request` with the first error. */
export type CheckGatewayInput = <N extends keyof GatewayInputs>(name: N, value: unknown) => GatewayInputs[N];

/** Validates requests of interfaces that do not validate them. Compiles each schema once. */
export function createGatewayInputCheck(): CheckGatewayInput {
  const ajv = new Validator({
    ownProperties: true,
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    logger: false,
  });
  ajv.addSchema({
    $id: 'patchbay:',
    components: { schemas: { ...gatewayRequestSchemas, Schema: { type: 'object' } } },
  });
  return (name, value) => {
    const check = ajv.getSchema(`patchbay:#/components/schemas/${name}`);
    if (check === undefined) throw new Error(`there is no schema ${name}`);
    if (check(value) !== true) throw invalid((check.errors ?? []).map((error) => describeFault(error, '')));
    return value as GatewayInputs[typeof name];
  };
}

function invalid(errors: readonly ErrorDetail[]): PatchbayError {
  const [first] = errors;
  const what = first === undefined ? '' : `: ${first.pointer} ${first.detail}`;
  return new PatchbayError('invalid_request', `the request does not match the schema${what}`, { errors });
}

/** A message that matches the schema, but may combine members that exclude each other. */
export interface ReceivedMessage {
  readonly role: Message['role'];
  readonly content: string | readonly ReceivedPart[];
  /** In place of `content`: the parts of a response, sent back unchanged. */
  readonly parts?: readonly ReceivedPart[];
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

type ReceivedPart = { readonly type: ContentPart['type'] } & { readonly [N in PartMember]?: unknown };

const partMembers = [
  'text',
  'url',
  'data',
  'mediaType',
  'name',
  'id',
  'arguments',
  'signature',
  'encrypted',
  'by',
] as const;

type PartMember = (typeof partMembers)[number];

/** The members of each kind of part, and the roles that send it. */
const partKinds: Readonly<
  Record<
    ContentPart['type'],
    {
      readonly needs: readonly PartMember[];
      readonly may?: readonly PartMember[];
      readonly from: readonly Message['role'][];
    }
  >
> = {
  text: { needs: ['text'], from: ['system', 'user', 'assistant', 'tool'] },
  image: { needs: [], may: ['url', 'data', 'mediaType'], from: ['user', 'tool'] },
  audio: { needs: ['data', 'mediaType'], from: ['user'] },
  file: { needs: [], may: ['url', 'data', 'mediaType', 'name'], from: ['user', 'tool'] },
  reasoning: { needs: ['text'], may: ['signature', 'encrypted', 'by'], from: ['assistant'] },
  refusal: { needs: ['text'], from: ['assistant'] },
  'tool-call': { needs: ['id', 'name', 'arguments'], from: ['assistant'] },
};

/**
 * Validate the combinations of members in messages, and normalize them. Called by the gateway itself, so that
 * it applies to every interface and to in-process callers.
 *
 * @throws PatchbayError `invalid_request` with every member that does not belong to its role or type, or with every tool call
 *   without a result and every result without a call.
 */
export function checkMessages(messages: readonly ReceivedMessage[]): readonly Message[] {
  const faults = messages.flatMap((message, index) => [...messageFaults(message, `/messages/${index}`)]);
  if (faults.length > 0) throw unusable('the body does not match the schema', faults);
  const checked = messages.map(messageOf);
  const turnFaults = [...toolTurnFaults(checked)];
  if (turnFaults.length > 0) throw unusable('the messages are no conversation with tools', turnFaults);
  return checked;
}

const unusable = (message: string, errors: readonly ErrorDetail[]): PatchbayError =>
  new PatchbayError('invalid_request', message, { errors: errors.slice(0, 50) });

function messageOf({ toolCalls, parts, ...message }: ReceivedMessage): Message {
  const content = parts ?? message.content;
  if (!toolCalls) return { ...message, content } as Message;
  const text = typeof content === 'string' ? content : contentText(content as readonly AssistantPart[]);
  return { ...message, role: 'assistant', content: assistantContent(text, toolCalls) };
}

function* messageFaults(message: ReceivedMessage, at: string): Generator<ErrorDetail> {
  const { role, content, parts, toolCalls, toolCallId, isError } = message;
  if (toolCalls && role !== 'assistant') yield misplaced(`${at}/toolCalls`, 'belongs to messages of the assistant');
  if (toolCalls && parts) yield misplaced(`${at}/toolCalls`, 'stands among the parts');
  if (role === 'tool' && toolCallId === undefined) {
    yield { pointer: `${at}/toolCallId`, code: 'required', detail: 'is required for messages of a tool' };
  }
  if (toolCallId !== undefined && role !== 'tool') yield misplaced(`${at}/toolCallId`, 'belongs to messages of a tool');
  if (isError !== undefined && role !== 'tool') yield misplaced(`${at}/isError`, 'belongs to messages of a tool');
  for (const [name, list] of Object.entries({ content, parts })) {
    if (typeof list === 'string' || list === undefined) continue;
    for (const [index, part] of list.entries()) yield* partFaults(part, `${at}/${name}/${index}`, role);
  }
}

function* partFaults(part: ReceivedPart, at: string, role: Message['role']): Generator<ErrorDetail> {
  const { needs, may = [], from } = partKinds[part.type];
  if (!from.includes(role)) yield misplaced(`${at}/type`, `belongs to messages of role ${from.join(' or ')}`);
  for (const name of needs) {
    if (part[name] === undefined) {
      yield { pointer: `${at}/${name}`, code: 'required', detail: `is required for a part of type ${part.type}` };
    }
  }
  for (const name of partMembers) {
    if (part[name] === undefined || needs.includes(name) || may.includes(name)) continue;
    yield misplaced(`${at}/${name}`, `does not belong to a part of type ${part.type}`);
  }
  if (part.type === 'image' || part.type === 'file') yield* sourceFaults(part, at);
}

function* sourceFaults({ url, data, mediaType }: ReceivedPart, at: string): Generator<ErrorDetail> {
  if ((url === undefined) === (data === undefined)) {
    yield { pointer: at, code: 'source', detail: 'needs either url, or data with mediaType' };
  } else if (data !== undefined && mediaType === undefined) {
    yield { pointer: `${at}/mediaType`, code: 'required', detail: 'is required beside data' };
  }
  const problem = typeof url === 'string' ? checkPublicUrl(url) : undefined;
  if (problem !== undefined) yield { pointer: `${at}/url`, code: 'format', detail: problem };
}

const misplaced = (pointer: string, detail: string): ErrorDetail => ({ pointer, code: 'misplaced', detail });
