import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantPart, ReasoningPart } from '@patchbay/core/provider';
import type { Fields } from './fields.ts';
import { unexpectedTag } from './fields.ts';
import type { Place } from './invalid-request.ts';
import type { Notes } from './notes.ts';
import { blockOf, marksOf, textPart } from './parse-input-blocks.ts';
import { readProof } from './reasoning-proof.ts';
import { unpackToolId } from './tool-ids.ts';

/** Blocks about tools that ran at Anthropic. The text of the model that follows has what came of them. */
const vendorBlocks = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
]);

/** The part that a block of an assistant message becomes. Undefined for one that is left out, which is noted. */
export function assistantPart(value: unknown, place: Place, notes: Notes): AssistantPart | undefined {
  const { block, type } = blockOf(value, place);
  switch (type) {
    case 'text':
      return textPart(block.as<Anthropic.TextBlockParam>(), notes);
    case 'tool_use':
      return toolCallPart(block.as<Anthropic.ToolUseBlockParam>(), notes);
    case 'thinking':
      return thinkingPart(block.as<Anthropic.ThinkingBlockParam>(), notes);
    case 'redacted_thinking':
      return reasoningPart('', block.as<Anthropic.RedactedThinkingBlockParam>().text('data'), notes);
    default:
      if (!vendorBlocks.has(type))
        throw unexpectedTag(place, type, ['text', 'tool_use', 'thinking', 'redacted_thinking']);
      notes.add(`${type} was left out: tools that run at Anthropic are part of conversations with its models only`);
      return undefined;
  }
}

function toolCallPart(block: Fields<Anthropic.ToolUseBlockParam>, notes: Notes): AssistantPart {
  const [id, name, values] = [unpackToolId(block.name('id')), block.name('name'), block.json('input')];
  // Every call is a direct one where no tool of Anthropic makes others.
  block.get('caller');
  return { type: 'tool-call', id, name, arguments: values, ...marksOf(block.as(), 'tool_use', notes) };
}

function thinkingPart(block: Fields<Anthropic.ThinkingBlockParam>, notes: Notes): ReasoningPart | undefined {
  return reasoningPart(block.text('thinking'), block.text('signature'), notes);
}

/** Without a proof of ours nothing says which vendor reasoned, and none may see the reasoning of another. */
function reasoningPart(text: string, signature: string, notes: Notes): ReasoningPart | undefined {
  const proof = readProof(signature);
  if (proof?.by !== undefined) return { type: 'reasoning', text, ...proof };
  notes.add('thinking was left out where it does not come from a model behind this server');
  return undefined;
}
