import { Ajv2020 as Validator } from 'ajv/dist/2020.js';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { Message, ToolCall } from '../contracts/provider.ts';
import { describeFault } from '../schema/compile-schema.ts';
import type { ChatInput, EmbedInput, FunctionCallInput, GenerateInput } from './gateway-service.ts';
import { gatewayRequestSchemas } from './request-schemas.ts';

/** The members of each kind of request. */
export interface GatewayInputs {
  readonly GenerateRequest: GenerateInput;
  readonly ChatRequest: ChatInput;
  readonly EmbeddingRequest: EmbedInput;
  readonly FunctionCallRequest: FunctionCallInput;
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
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

interface ReceivedPart {
  readonly type: 'text' | 'image';
  readonly text?: string;
  readonly url?: string;
  readonly data?: string;
  readonly mediaType?: string;
}

/**
 * Validate the combinations of members in messages. Called by the gateway itself, so that it applies to every
 * interface and to in-process callers.
 *
 * @throws PatchbayError `invalid_request` with every member that does not belong to its role or type.
 */
export function checkMessages(messages: readonly ReceivedMessage[]): readonly Message[] {
  const errors = messages.flatMap((message, index) => [...messageFaults(message, `/messages/${index}`)]).slice(0, 50);
  if (errors.length === 0) return messages as readonly Message[];
  throw new PatchbayError('invalid_request', 'the body does not match the schema', { errors });
}

function* messageFaults(message: ReceivedMessage, at: string): Generator<ErrorDetail> {
  const { role, content, toolCalls, toolCallId } = message;
  if (toolCalls && role !== 'assistant') yield misplaced(`${at}/toolCalls`, 'belongs to messages of the assistant');
  if (role === 'tool' && toolCallId === undefined) {
    yield { pointer: `${at}/toolCallId`, code: 'required', detail: 'is required for messages of a tool' };
  }
  if (toolCallId !== undefined && role !== 'tool') yield misplaced(`${at}/toolCallId`, 'belongs to messages of a tool');
  if (typeof content === 'string') return;
  if (role === 'assistant' || role === 'tool') {
    yield { pointer: `${at}/content`, code: 'type', detail: `must be a string in messages of role ${role}` };
    return;
  }
  for (const [index, part] of content.entries()) yield* partFaults(part, `${at}/content/${index}`, role);
}

function* partFaults(part: ReceivedPart, at: string, role: Message['role']): Generator<ErrorDetail> {
  if (part.type === 'text') {
    if (part.text === undefined) yield { pointer: `${at}/text`, code: 'required', detail: 'is required for a text' };
    for (const name of ['url', 'data', 'mediaType'] as const satisfies readonly (keyof ReceivedPart)[]) {
      if (part[name] !== undefined) yield misplaced(`${at}/${name}`, 'belongs to images');
    }
    return;
  }
  if (role !== 'user') yield misplaced(`${at}/type`, 'must be text: only users send images');
  if (part.text !== undefined) yield misplaced(`${at}/text`, 'belongs to texts');
  if ((part.url === undefined) === (part.data === undefined)) {
    yield { pointer: at, code: 'image', detail: 'needs either url, or data with mediaType' };
  } else if (part.data !== undefined && part.mediaType === undefined) {
    yield { pointer: `${at}/mediaType`, code: 'required', detail: 'is required beside data' };
  }
  if (part.url !== undefined && !isWebAddress(part.url)) {
    yield { pointer: `${at}/url`, code: 'format', detail: 'must be an http or https URL' };
  }
}

const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const misplaced = (pointer: string, detail: string): ErrorDetail => ({ pointer, code: 'misplaced', detail });
