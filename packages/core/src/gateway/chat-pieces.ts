import { jsonTextOf } from '@patchbay/contracts/base/json-text-of';
import { definedMembers } from '@patchbay/outbound/provider-kit/transport-options';
import type { AnswerPart } from './ask-model.ts';
import type { ChatPiece, TextPiece } from './gateway-service.ts';

/** Maps the parts of one stream. A call that its provider sends complete is one piece. */
export function chatPieces(): (part: AnswerPart) => ChatPiece | undefined {
  const begun = new Set<string>();
  return (part) => {
    if (part.type === 'text') return textDelta(part);
    if (part.type === 'refusal') return { refusal: part.text };
    if (part.type === 'reasoning') return { reasoning: part.text, ...piecesOf(part) };
    if (part.type === 'reasoning-end') {
      const { signature, encrypted } = part;
      return { reasoningEnd: definedMembers({ signature, encrypted }) };
    }
    if (part.type === 'tool-arguments') {
      begun.add(part.id);
      return { toolCall: { id: part.id, name: part.name, arguments: part.text } };
    }
    if (part.type !== 'tool-call' || begun.has(part.toolCall.id)) return undefined;
    const { id, name, arguments: values } = part.toolCall;
    return { toolCall: { id, name, arguments: jsonTextOf(values) } };
  };
}

/** The text of a part, without anything else. */
export function textDelta(part: AnswerPart): TextPiece | undefined {
  return part.type === 'text' ? { delta: part.text, ...piecesOf(part) } : undefined;
}

function piecesOf({ pieces }: { readonly pieces?: readonly string[] }): { readonly pieces?: readonly string[] } {
  return pieces === undefined ? {} : { pieces };
}
