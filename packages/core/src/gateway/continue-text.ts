import { PatchbayError } from '@patchbay/contracts/errors';
import type { Message } from '@patchbay/contracts/message';
import type { ChatResult, ModelInfo } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { estimateTokens } from '@patchbay/outbound/provider-kit/estimate-usage';
import { contentText, partsOf } from '@patchbay/outbound/provider-kit/message-content';
import { type AnswerPart, type Conversation, mapLists, mapPieces } from './ask-model.ts';

/**
 * Have a model continue the text of another: from that text, if it continues assistant messages, otherwise by writing
 * it again. Until its output contains everything that was sent, none of it is shown.
 *
 * @param read Calls the model.
 * @returns the parts that follow the text. Reasoning is left out, as it would come after the text.
 * @throws PatchbayError `provider_error` as soon as the model writes another text.
 */
export async function* continueText(
  read: (conversation: Conversation) => AsyncGenerator<readonly AnswerPart[], ChatResult>,
  conversation: Conversation,
  text: string,
  info: Pick<ModelInfo, 'prefill'>,
): AsyncGenerator<readonly AnswerPart[], ChatResult> {
  const prefilled = info.prefill ? prefill(conversation, text) : undefined;
  if (prefilled) {
    let hasOutput = false;
    const parts = mapPieces(behind(read(prefilled.conversation), prefilled.missing), (list) => {
      hasOutput = true;
      return list;
    });
    try {
      return yield* parts;
    } catch (error) {
      if (hasOutput || !isRefusal(error)) throw error;
    }
  }
  return yield* behind(read(conversation), text);
}

/**
 * A conversation whose last message is the text so far. Trailing space, which some vendors reject, is left out; the
 * model has to write it.
 */
function prefill(conversation: Conversation, text: string) {
  const { messages, maxTokens, responseSchema, responseJson } = conversation;
  const content = text.trimEnd();
  // Models that are restricted to JSON would begin a second document.
  if (content === '' || responseSchema || responseJson) return undefined;
  const last = messages.at(-1);
  const own = last?.role === 'assistant' ? last : undefined;
  if (own && partsOf(own.content).some(({ type }) => type !== 'text')) return undefined;
  const message: Message = { role: 'assistant', content: own ? contentText(own.content) + content : content };
  return {
    conversation: {
      ...conversation,
      messages: [...(own ? messages.slice(0, -1) : messages), message],
      ...(maxTokens !== undefined && { maxTokens: Math.max(1, maxTokens - estimateTokens(content)) }),
    },
    missing: text.slice(content.length),
  };
}

/** The parts after a text that the output has to begin with. */
async function* behind(
  parts: AsyncGenerator<readonly AnswerPart[], ChatResult>,
  text: string,
): AsyncGenerator<readonly AnswerPart[], ChatResult> {
  let missing = text;
  const result = yield* mapLists(parts, (part) => {
    if (part.type === 'reasoning' || part.type === 'reasoning-end') return undefined;
    if (missing === '') return part;
    if (part.type !== 'text') throw another();
    const length = Math.min(part.text.length, missing.length);
    if (part.text.slice(0, length) !== missing.slice(0, length)) throw another();
    missing = missing.slice(length);
    return length < part.text.length ? ({ type: 'text', text: part.text.slice(length) } as const) : undefined;
  });
  if (missing !== '') throw another();
  return result;
}

/** Not a fault of the model, which may be healthy. */
const another = () => providerError('rejected', 'the model wrote another text than the one that was sent');

function isRefusal(error: unknown): boolean {
  const kind = PatchbayError.is(error) ? error.upstream?.kind : undefined;
  return kind === 'rejected' || kind === 'unsupported';
}
