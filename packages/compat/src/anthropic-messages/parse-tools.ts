import type Anthropic from '@anthropic-ai/sdk';
import type { Schema } from '@patchbay/core/plugin';
import { definedMembers, type Tool } from '@patchbay/core/provider';
import type { ChatInput } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import type { Warnings } from '../request/warnings.ts';
import { marksOf } from './parse-input-blocks.ts';
import type { MessagesBody } from './request-body.ts';

type ToolUse = Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** The tools of a request, and which of them the model may or must call. */
export function parseToolUse(body: Field<MessagesBody>, warnings: Warnings): ToolUse {
  const given = body.member('tools').maybe((field) => field.list()) ?? [];
  const tools = given.map((tool) => parseTool(tool.as(), warnings));
  const names = new Set(tools.map(({ name }) => name));
  const choice = body.member('tool_choice').maybe((field) => parseToolChoice(field, names));
  return tools.length === 0 ? {} : { tools, ...choice };
}

function parseTool(tool: Field<Anthropic.Tool>, warnings: Warnings): Tool {
  const type = tool.member('type').maybe((field) => field.text()) ?? 'custom';
  if (type !== 'custom') {
    const detail = `${type.slice(0, 80)} is made by Anthropic: other models take tools with an input_schema only`;
    tool.member('type').fail('unsupported_value', detail);
  }
  // Anthropic accepts twice as many characters, but no other vendor does.
  const name = functionName(tool.member('name'));
  const description = tool.member('description').maybe((field) => field.text());
  // The gateway checks the schema itself; its root is an object, as arguments are.
  const schema = tool.member('input_schema');
  schema.as<{ type: string }>().member('type').oneOf(['object']);
  const parameters = schema.json() as unknown as Schema;
  return {
    name,
    ...definedMembers({ description }),
    parameters,
    ...marksOf(tool.as(), 'tools[]', warnings),
  };
}

function parseToolChoice(choice: Field<Anthropic.ToolChoice>, names: ReadonlySet<string>): Omit<ToolUse, 'tools'> {
  const type = choice.member('type').oneOf(['auto', 'any', 'tool', 'none']);
  if (names.size === 0 && (type === 'any' || type === 'tool')) choice.fail('invalid_value', 'needs tools');
  const isSingle = choice.member('disable_parallel_tool_use').maybe((field) => field.flag());
  const parallelToolCalls = isSingle === undefined || type === 'none' ? undefined : !isSingle;
  return { toolChoice: toolChoice(choice, type, names), ...definedMembers({ parallelToolCalls }) };
}

function toolChoice(
  choice: Field<Anthropic.ToolChoice>,
  type: Anthropic.ToolChoice['type'],
  names: ReadonlySet<string>,
): NonNullable<ToolUse['toolChoice']> {
  if (type === 'auto' || type === 'none') return type;
  if (type === 'any') return 'required';
  const name = choice.member('name');
  return names.has(name.name()) ? { name: name.text() } : name.fail('invalid_value', 'is not the name of a tool');
}
