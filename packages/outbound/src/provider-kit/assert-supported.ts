import { PatchbayError } from '@patchbay/contracts/errors';
import type { ContentPart, Extra, Message } from '@patchbay/contracts/message';
import { type ChatRequest, type ModelCapability, type ModelInfo, samplingNames } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { fieldsOf, type JsonFields } from './json-fields.ts';

/**
 * The model with this name, which has the capability.
 *
 * @param provider Name of the provider, for the message.
 *
 * @example
 * ```ts
 * import { findModel, type ModelInfo } from '@patchbay/core/provider';
 *
 * const models = new Map<string, ModelInfo>([['large', { name: 'large', capabilities: ['chat'] }]]);
 * console.log(findModel('acme', models, 'large', 'chat').name); // large
 * ```
 */
export function findModel(
  provider: string,
  models: ReadonlyMap<string, ModelInfo>,
  name: string,
  capability: ModelCapability,
): ModelInfo {
  const model = models.get(name);
  if (!model) throw providerError('model_gone', `${provider} has no model ${name}`);
  if (model.capabilities.includes(capability)) return model;
  throw providerError('unsupported', `${provider}/${name} does not support ${capability}`);
}

/**
 * Refuses a request that the model is known not to serve, before anything is sent.
 *
 * @param provider Name of the provider, for the message.
 * @throws PatchbayError `unsupported_parameter`
 *
 * @example
 * ```ts
 * import { assertSupported, type ChatRequest, type ModelInfo } from '@patchbay/core/provider';
 *
 * const model: ModelInfo = { name: 'large', capabilities: ['chat'], unsupported: ['topP'] };
 * export const check = (request: ChatRequest) => assertSupported('acme', model, request);
 * ```
 */
export function assertSupported(provider: string, model: ModelInfo, request: ChatRequest): void {
  const refuse = (what: string, parameter?: string) =>
    providerError('unsupported', `${provider}/${model.name} does not support ${what}`, { parameter });
  const without = (capability: ModelCapability) => !model.capabilities.includes(capability);
  for (const name of samplingNames) {
    if (request[name] !== undefined && model.unsupported?.includes(name)) throw refuse(name, name);
  }
  const { temperature, maxTokens } = request;
  if (temperature !== undefined && temperature > (model.maxTemperature ?? 2)) {
    throw refuse(`a temperature above ${model.maxTemperature ?? 2}`, 'temperature');
  }
  if (maxTokens !== undefined && maxTokens > (model.maxTokens ?? Number.POSITIVE_INFINITY)) {
    throw refuse(`maxTokens above ${model.maxTokens}`, 'maxTokens');
  }
  if (usesTools(request) && without('tools')) throw refuse('tools');
  if (request.responseSchema && without('structured-output')) throw refuse('a response schema', 'responseSchema');
  if (without('vision') && request.messages.some(hasPart('image'))) throw refuse('images');
  if (without('audio') && request.messages.some(hasPart('audio'))) throw refuse('audio');
  if (without('files') && request.messages.some(hasPart('file'))) throw refuse('files');
}

/** Whether a request has tools, or a conversation in which some were called. */
const usesTools = ({ tools = [], messages }: Pick<ChatRequest, 'tools' | 'messages'>): boolean =>
  tools.length > 0 || messages.some(({ role }) => role === 'tool') || messages.some(hasPart('tool-call'));

/** Whether a message has a part of that kind. */
const hasPart =
  (kind: ContentPart['type']) =>
  ({ content }: Message): boolean =>
    typeof content !== 'string' && content.some(({ type }) => type === kind);

/**
 * One sentence for each wire format whose members in `extra` an adapter does not send: those of the request, its tools,
 * its messages and their parts.
 *
 * @param isSent Whether the adapter sends a member of that format.
 *
 * @example
 * ```ts
 * import { type ChatRequest, foreignMembers } from '@patchbay/core/provider';
 *
 * export const warningsOf = (request: ChatRequest) => foreignMembers(request, (format) => format === 'acme');
 * ```
 */
export function foreignMembers(
  request: ChatRequest,
  isSent: (format: string, member: string) => boolean,
): readonly string[] {
  const foreign = new Map<string, Set<string>>();
  const note = ({ extra }: { readonly extra?: Extra }): void => {
    if (!extra) return;
    for (const [format, members] of Object.entries(extra)) {
      const unsent = Object.entries(members)
        .filter(([member]) => !isSent(format, member))
        .flatMap(([member, value]) => lostOf(member, value));
      if (unsent.length > 0) foreign.set(format, new Set([...(foreign.get(format) ?? []), ...unsent]));
    }
  };
  note(request);
  request.tools?.forEach(note);
  for (const message of request.messages) {
    note(message);
    if (typeof message.content !== 'string') message.content.forEach(note);
  }
  if (foreign.size === 0) return [];
  return [...foreign].map(
    ([format, members]) => `members that only ${format} has were not sent: ${[...members].join(', ')}`,
  );
}

/** Members of which the gateway has a part under its own names, which every adapter sends: this part. */
const restated: Readonly<Record<string, readonly string[]>> = {
  image_url: ['url'],
  reasoning: ['effort'],
  response_format: ['type', 'json_schema.name', 'json_schema.schema', 'json_schema.strict'],
  text: ['format'],
};

/** The paths of what is lost without a member. */
function lostOf(member: string, value: unknown): readonly string[] {
  const fields = fieldsOf(value);
  if (!fields || !Object.hasOwn(restated, member)) return [member];
  const paths = Object.entries(fields).flatMap(([name, inner]) =>
    name === 'json_schema' ? Object.keys(fieldsOf(inner) ?? {}).map((each) => `${name}.${each}`) : [name],
  );
  return paths.filter((path) => !restated[member]?.includes(path)).map((path) => `${member}.${path}`);
}

/**
 * Refuses members of a request that would bypass the policies of this server, such as those that name other models. A
 * body that is forwarded is read only where it could have one of them.
 *
 * @param provider Name of the provider, for the message.
 * @throws PatchbayError `unsupported_parameter`
 *
 * @example
 * ```ts
 * import { type ForwardRequest, refuseMembers } from '@patchbay/core/provider';
 *
 * export const check = ({ body }: ForwardRequest) => refuseMembers('acme', body, ['models']);
 * ```
 */
export function refuseMembers(provider: string, request: JsonFields | Uint8Array, refused: readonly string[]): void {
  const members = request instanceof Uint8Array ? membersWith(refused, request) : request;
  const found = refused.find((name) => members[name] !== undefined && members[name] !== null);
  if (found === undefined) return;
  const errors = [{ pointer: `/${found}`, code: 'unsupported_parameter', detail: 'is not accepted here' }];
  const upstream = { kind: 'unsupported', unsent: true } as const;
  const message = `${provider} accepts no ${found} here: it would go past the policies of this server`;
  throw new PatchbayError('unsupported_parameter', message, { errors, upstream });
}

/** Most bodies contain no such name, nor an escape with which one could be written. */
function membersWith(names: readonly string[], body: Uint8Array): JsonFields {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (names.length === 0 || ![...names, '\\u'].some((text) => bytes.includes(text))) return {};
  return fieldsOf(JSON.parse(bytes.toString())) ?? {};
}
