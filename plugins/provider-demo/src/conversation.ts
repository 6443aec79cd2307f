import { type ChatRequest, type Message, providerError, type Tool } from '@patchbay/core/provider';
import { overlap, termsOf } from './words.ts';

/** The texts of a conversation by their role in the response. */
export interface Conversation {
  /** The last message of the user. */
  readonly question: string;
  /** Results of the tools since then. */
  readonly toolResults: readonly string[];
  readonly texts: readonly string[];
}

export function readConversation({ messages }: ChatRequest): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const texts = messages.map(textOf);
  const toolResults = messages.slice(last + 1).filter(({ role }) => role === 'tool');
  return {
    question: texts[last] ?? '',
    toolResults: toolResults.map(textOf),
    texts,
  };
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** A word of the tool's name says more than one of its description. */
const NAME_WEIGHT = 3;

/** The tool that shares most words with the question; without any shared word, none unless one is required. */
export function chooseTool({ tools = [], toolChoice }: ChatRequest, conversation: Conversation): Tool | undefined {
  if (typeof toolChoice === 'object') {
    const named = tools.find(({ name }) => name === toolChoice.name);
    if (!named) throw providerError('rejected', `there is no tool ${toolChoice.name}`);
    return named;
  }
  const isRequired = toolChoice === 'required';
  // Results of tools end a free choice: otherwise the conversation would never end.
  if (!isRequired && conversation.toolResults.length > 0) return undefined;
  const terms = new Set(termsOf(conversation.question));
  const scores = tools.map(
    ({ name, description = '' }) => NAME_WEIGHT * overlap(termsOf(name), terms) + overlap(termsOf(description), terms),
  );
  const best = Math.max(0, ...scores);
  return best > 0 || isRequired ? tools[scores.indexOf(best)] : undefined;
}
