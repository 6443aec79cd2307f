import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantPart, ReasoningPart } from '@patchbay/core/provider';
import type { Field } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import type { Warnings } from '../request/warnings.ts';
import { marksOf, textPart } from './parse-input-blocks.ts';
import { readProof } from './reasoning-proof.ts';
import { unpackToolId } from './tool-ids.ts';

/** Blocks about tools that ran at Anthropic. The model's following text contains their outcome. */
const vendorBlocks = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
] as const;

const blockTypes = ['text', 'tool_use', 'thinking', 'redacted_thinking', ...vendorBlocks] as const;

/** The part that a block of an assistant message becomes. Undefined for one that is left out, with a warning. */
export function assistantPart(
  block: Field<Anthropic.ContentBlockParam>,
  warnings: Warnings,
): AssistantPart | undefined {
  const type = block.member('type').oneOf(blockTypes);
  switch (type) {
    case 'text':
      return textPart(block.as(), warnings);
    case 'tool_use':
      return toolCallPart(block.as(), warnings);
    case 'thinking':
      return reasoningPart(block.member('thinking').text(), block.member('signature').text(), warnings);
    case 'redacted_thinking':
      return reasoningPart('', block.as<Anthropic.RedactedThinkingBlockParam>().member('data').text(), warnings);
    default:
      warnings.add(`${type} was left out: tools that run at Anthropic are part of conversations with its models only`);
      block.json();
      return undefined;
  }
}

function toolCallPart(block: Field<Anthropic.ToolUseBlockParam>, warnings: Warnings): AssistantPart {
  const [id, name] = [unpackToolId(block.member('id').name()), functionName(block.member('name'))];
  const values = block.member('input').as<object>().object();
  // Every call is a direct one if no tool of Anthropic makes others.
  block.member('caller');
  return { type: 'tool-call', id, name, arguments: values, ...marksOf(block.as(), 'tool_use', warnings) };
}

/** Without a proof of ours nothing shows which vendor reasoned, and no vendor may see another's reasoning. */
function reasoningPart(text: string, signature: string, warnings: Warnings): ReasoningPart | undefined {
  const proof = readProof(signature);
  if (proof?.by !== undefined) return { type: 'reasoning', text, ...proof };
  warnings.add('thinking was left out: only the vendor that signed it may see it');
  return undefined;
}
