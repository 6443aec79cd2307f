import type { ReasoningPart } from '@patchbay/core/provider';
import { definedMembers } from '@patchbay/core/provider';
import type { Field } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';

/**
 * Chat completions have no member for reasoning. Compatible servers have `reasoning_content`, text for people; gateways
 * have `reasoning_details` in addition, which clients send back, so that the vendor sees that nothing was changed.
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
export interface ReasoningMembers {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly DetailMembers[] | null;
}

export function reasoningDetail({ text, signature, encrypted, by }: ReasoningPart): ReasoningDetail {
  const type = text === '' && encrypted !== undefined ? 'reasoning.encrypted' : 'reasoning.text';
  return { type, ...(type === 'reasoning.text' && { text }), ...definedMembers({ signature, data: encrypted, by }) };
}

/** The reasoning of a message that was a response: from its details, or else from its text. */
export function readReasoning(message: Field<ReasoningMembers>, warnings: Warnings): readonly ReasoningPart[] {
  const text = (name: 'reasoning_content' | 'reasoning') =>
    message.member(name).maybe((field) => field.text()) || undefined;
  const [content, reasoning] = [text('reasoning_content'), text('reasoning')];
  const details = message.member('reasoning_details').maybe((field) => field.list().map(readDetail)) ?? [];
  const given = content ?? reasoning;
  const parts = details.length > 0 || given === undefined ? details : [{ type: 'reasoning' as const, text: given }];
  if (parts.some(({ by }) => by === undefined)) {
    warnings.add('reasoning that does not say which model it is from is sent to no model');
  }
  return parts;
}

type DetailMembers = Partial<Record<'type' | 'text' | 'summary' | 'signature' | 'data' | 'by', string>>;

function readDetail(detail: Field<DetailMembers>): ReasoningPart {
  const type = detail.member('type').oneOf(['reasoning.text', 'reasoning.encrypted', 'reasoning.summary']);
  const member = (name: keyof DetailMembers) => detail.member(name).maybe((each) => each.text());
  const text = member(type === 'reasoning.summary' ? 'summary' : 'text') ?? '';
  const proofs = { signature: member('signature'), encrypted: member('data'), by: member('by') };
  return { type: 'reasoning', text, ...definedMembers(proofs) };
}
