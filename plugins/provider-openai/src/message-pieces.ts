import type { JsonObject } from '@patchbay/core/plugin';
import { type Extra, fieldsOf, type JsonFields, listOf, textOf, type UpstreamClient } from '@patchbay/core/provider';

/** A text of a message, or a piece of it. */
export interface MessagePiece {
  readonly type: 'text' | 'refusal' | 'reasoning';
  readonly text: string;
}

/** The texts of a message, or of a delta of one, in the order in which models write them. None is empty. */
export function messagePieces(message: JsonFields, { badAnswer }: UpstreamClient): readonly MessagePiece[] {
  const pieces: MessagePiece[] = [];
  // Some servers send the reasoning under both of its names.
  const reasoning = textOf(message['reasoning_content']) || textOf(message['reasoning']);
  if (reasoning) pieces.push({ type: 'reasoning', text: reasoning });
  const content = message['content'] ?? '';
  if (typeof content === 'string') {
    if (content !== '') pieces.push({ type: 'text', text: content });
  } else {
    const parts = listOf(content);
    if (!parts) throw badAnswer('has content that is no text', message);
    for (const part of parts) {
      const piece = contentPiece(fieldsOf(part) ?? {});
      if (!piece) throw badAnswer('has content of an unknown kind', part);
      if (piece.text !== '') pieces.push(piece);
    }
  }
  const refusal = textOf(message['refusal']);
  if (refusal) pieces.push({ type: 'refusal', text: refusal });
  return pieces;
}

/** Mistral's reasoning models answer in parts. */
function contentPiece(part: JsonFields): MessagePiece | undefined {
  const { type, thinking } = part;
  if (type === 'thinking') {
    const texts = listOf(thinking)?.map((each) => textOf(fieldsOf(each)?.['text']) ?? '');
    return { type: 'reasoning', text: texts?.join('') ?? textOf(thinking) ?? '' };
  }
  const text = textOf(part[type === 'refusal' ? 'refusal' : 'text']);
  return (type === 'text' || type === 'refusal') && text !== undefined ? { type, text } : undefined;
}

const known: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
]);

/** The members of a choice and its message that the contract has no name for, such as `annotations`. */
export function otherMembers(choice: JsonFields | undefined, message: JsonFields): JsonFields {
  const logprobs = choice?.['logprobs'];
  if (!isSaid(logprobs) && isKnown(message)) return none;
  const members = Object.entries({ ...message, logprobs });
  return Object.fromEntries(members.filter(([name, value]) => !known.has(name) && isSaid(value)));
}

const none: JsonFields = {};

/** True of nearly every delta of a stream, whose members are then not listed. */
function isKnown(message: JsonFields): boolean {
  for (const name in message) if (!known.has(name)) return false;
  return true;
}

const isSaid = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && listOf(value)?.length !== 0;

/** The members as `extra` of a result, if there are any. */
export function asExtra(format: string, members: JsonFields): { readonly extra?: Extra } {
  return Object.keys(members).length > 0 ? { extra: { [format]: members as JsonObject } } : {};
}
