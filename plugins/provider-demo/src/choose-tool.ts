import { type ChatRequest, providerError, type Tool } from '@patchbay/core/provider';
import type { Conversation } from './conversation.ts';
import { overlap, termsOf } from './text/words.ts';

/** A word of the tool's name says more than one of its description. */
const NAME_WEIGHT = 3;

/** The tool whose words are in the question most; none where there is none and none has to be chosen. */
export function chooseTool({ tools = [], toolChoice }: ChatRequest, conversation: Conversation): Tool | undefined {
  if (typeof toolChoice === 'object') {
    const named = tools.find(({ name }) => name === toolChoice.name);
    if (!named) throw providerError('rejected', `there is no tool ${toolChoice.name}`);
    return named;
  }
  const isRequired = toolChoice === 'required';
  // A choice that was free is over once the tools answered: otherwise the conversation would never end.
  if (!isRequired && conversation.toolResults.length > 0) return undefined;
  const terms = new Set(termsOf(conversation.question));
  const scores = tools.map((tool) => scoreOf(tool, terms));
  const best = Math.max(0, ...scores);
  return best > 0 || isRequired ? tools[scores.indexOf(best)] : undefined;
}

function scoreOf({ name, description = '' }: Tool, terms: ReadonlySet<string>): number {
  return NAME_WEIGHT * overlap(termsOf(name), terms) + overlap(termsOf(description), terms);
}
