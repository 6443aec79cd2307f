import type Anthropic from '@anthropic-ai/sdk';
import { portableToolCallId, type Turn } from '@patchbay/core/provider';
import { imageSource } from './image-source.ts';

/**
 * Anthropic wants the results of one turn's tool calls in one message, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
export function conversation(provider: string, turns: readonly Turn[]): Anthropic.MessageParam[] {
  const messages: { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] }[] = [];
  for (const turn of turns) {
    const content = blocksOf(provider, turn);
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
  }
  return messages;
}

function blocksOf(provider: string, turn: Turn): Anthropic.ContentBlockParam[] {
  switch (turn.role) {
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: portableToolCallId(turn.toolCallId), content: turn.content }];
    case 'assistant':
      return [
        ...textBlocks(turn.content),
        ...(turn.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
          type: 'tool_use' as const,
          id: portableToolCallId(id),
          name,
          input,
        })),
      ];
    case 'user':
      if (typeof turn.content === 'string') return textBlocks(turn.content);
      return turn.content.flatMap((part): Anthropic.ContentBlockParam[] =>
        part.type === 'text' ? textBlocks(part.text) : [{ type: 'image', source: imageSource(provider, part) }],
      );
  }
}

function textBlocks(text: string): Anthropic.TextBlockParam[] {
  return text === '' ? [] : [{ type: 'text', text }];
}
