import { readJson } from '@patchbay/contracts/base/json-text';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { Message } from '@patchbay/contracts/message';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import { contentText, partsOf } from '@patchbay/outbound/provider-kit/message-content';

/** Bytes of an input, as for the body of a call by name. */
const MAX_BYTES = 1_048_576;

/**
 * The input of a function, taken from a conversation: the last user message, which is a JSON object. If the schema has
 * a single string property, any other text is the value of that property.
 *
 * @throws PatchbayError `invalid_request` with the pointer `/messages`; `body_too_large`.
 */
export async function readInput(messages: readonly Message[], schema: Schema): Promise<JsonObject> {
  const message = messages.findLast(isOfUser);
  if (!message) throw unfit([{ pointer: '', code: 'required', detail: 'a message of the user is missing' }]);
  const others = partsOf(message.content).filter(({ type }) => type !== 'text');
  if (others.length > 0) throw unfit([{ pointer: '', code: 'type', detail: 'a function takes text only' }]);
  const text = contentText(message.content);
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new PatchbayError('body_too_large', `the input of a function has at most ${MAX_BYTES} bytes`);
  }
  const { properties = {}, required = [] } = resolvedSchema(schema);
  const property = textProperty(properties, required);
  try {
    const object = objectOf((await readJson(text, 'the message')).value);
    if (property === undefined || Object.keys(object).some((name) => Object.hasOwn(properties, name))) return object;
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    if (property === undefined) throw unfit([{ pointer: '', code: 'type', detail: `${WANTED}: ${error.message}` }]);
  }
  return { [property]: text };
}

const isOfUser = (message: Message) => message.role === 'user';

const WANTED = 'the last message of the user must be a JSON object';

function objectOf(value: JsonValue): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new PatchbayError('invalid_json', 'it is another value');
}

/** The only property that is a string, unless something else is required. */
function textProperty(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string | undefined {
  const [only, more] = Object.keys(properties).filter((name) => properties[name]?.type === 'string');
  return more === undefined && required.every((name) => name === only) ? only : undefined;
}

/**
 * The error for messages whose input does not match a function.
 *
 * @param faults With pointers into the input.
 */
export function unfit(faults: readonly ErrorDetail[]): PatchbayError {
  const errors = faults.map(({ pointer, code, detail }) => ({
    pointer: '/messages',
    code,
    detail: pointer === '' ? detail : `${pointer} of the input ${detail}`,
  }));
  return new PatchbayError('invalid_request', 'the messages have no input that the function takes', { errors });
}
