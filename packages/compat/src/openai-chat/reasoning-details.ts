import type { ReasoningPart } from '@patchbay/core/provider';
import { definedMembers } from '@patchbay/core/provider';
import type { Field } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';

/**
 * Chat completions have no member for reasoning. Compatible servers have `reasoning_content`, a text for people; gateways
 * have `reasoning_details` beside it, which clients send back, so that the vendor sees that nothing was changed.
 */
export interface ReasoningDetail {
  readonly type: 'reasoning.text' | 'reasoning.encrypted';
  readonly text?: string;
  readonly signature?: string;
  readonly data?: string;
  /** The model that reasoned. No other provider receives it. */
  readonly by?: string;
}

/** The members of a message that are about reasoning. */
export const reasoningMembers = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

export function reasoningDetail({ text, signature, encrypted, by }: ReasoningPart): ReasoningDetail {
  const type = text === '' && encrypted !== undefined ? 'reasoning.encrypted' : 'reasoning.text';
  return { type, ...(type === 'reasoning.text' && { text }), ...definedMembers({ signature, data: encrypted, by }) };
}

/** The reasoning of a message that was a response: of its details, or else of its text. */
export function readReasoning(message: Field, warnings: Warnings): readonly ReasoningPart[] {
  const details = message.member('reasoning_details').maybe((field) => field.list()) ?? [];
  const parts = details.length > 0 ? details.map(readDetail) : readText(message);
  if (parts.some(({ by }) => by === undefined)) {
    warnings.add('reasoning that does not say which model it is from is sent to no model');
  }
  return parts;
}

function readDetail(detail: Field): ReasoningPart {
  const type = detail.member('type').oneOf(['reasoning.text', 'reasoning.encrypted', 'reasoning.summary']);
  const text = detail.member(type === 'reasoning.summary' ? 'summary' : 'text').maybe((field) => field.text()) ?? '';
  const member = (name: string) => detail.member(name).maybe((field) => field.text());
  return {
    type: 'reasoning',
    text,
    ...definedMembers({ signature: member('signature'), encrypted: member('data'), by: member('by') }),
  };
}

function readText(message: Field): readonly ReasoningPart[] {
  const text = (name: 'reasoning_content' | 'reasoning') =>
    message.member(name).maybe((field) => field.text()) || undefined;
  const given = text('reasoning_content') ?? text('reasoning');
  return given === undefined ? [] : [{ type: 'reasoning', text: given }];
}
