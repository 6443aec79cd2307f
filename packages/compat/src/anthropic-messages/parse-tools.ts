import type Anthropic from '@anthropic-ai/sdk';
import type { Schema } from '@patchbay/core/plugin';
import { definedMembers, type Tool } from '@patchbay/core/provider';
import type { ChatInput } from '../gateway-types.ts';
import { Fields, unexpectedTag } from './fields.ts';
import { invalidRequest, type Place, placeOf, unsupported } from './invalid-request.ts';
import type { Notes } from './notes.ts';
import { blockOf, marksOf } from './parse-input-blocks.ts';

type ToolMembers = Pick<Anthropic.MessageCreateParamsNonStreaming, 'tools' | 'tool_choice'>;
type ToolUse = Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** The tools of a request, and which of them the model may or must call. */
export function parseToolUse(body: Fields<ToolMembers>, notes: Notes): ToolUse {
  const tools = (body.list('tools') ?? []).map((value, index) =>
    parseTool(value, placeOf(body.at('tools'), index), notes),
  );
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw invalidRequest(body.at('tools'), 'Tool names must be unique.', 'duplicate');
    names.add(name);
  }
  const choice = parseToolChoice(body, names);
  return tools.length === 0 ? {} : { tools, ...choice };
}

function parseTool(value: unknown, place: Place, notes: Notes): Tool {
  const tool = new Fields<Anthropic.Tool>(value, place);
  const type = tool.optionalText('type') ?? 'custom';
  if (type !== 'custom') {
    const shown = type.slice(0, 80);
    throw unsupported(
      place,
      `the tool ${shown} is made by Anthropic: other models take tools with an input_schema only`,
    );
  }
  const name = tool.text('name');
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    throw invalidRequest(tool.at('name'), "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", 'pattern');
  }
  const description = tool.optionalText('description');
  const parameters = parseSchema(tool);
  return { name, ...definedMembers({ description }), parameters, ...marksOf(tool.as(), 'tools', notes) };
}

/** The gateway checks the schema itself; its root is an object, as arguments are. */
function parseSchema(tool: Fields<Anthropic.Tool>): Schema {
  const schema = tool.object<Anthropic.Tool.InputSchema>('input_schema');
  schema.oneOf('type', ['object']);
  return tool.json('input_schema') as Schema;
}

function parseToolChoice(body: Fields<ToolMembers>, names: ReadonlySet<string>): Omit<ToolUse, 'tools'> {
  if (body.get('tool_choice') === undefined) return {};
  const { block, type } = blockOf(body.get('tool_choice'), body.at('tool_choice'));
  const choice = toolChoice(block.as<Anthropic.ToolChoiceTool>(), type);
  if (names.size === 0 && choice !== 'auto' && choice !== 'none') {
    throw invalidRequest(
      body.at('tool_choice'),
      'tool_choice may only be specified while providing tools',
      'misplaced',
    );
  }
  if (typeof choice === 'object' && !names.has(choice.name)) {
    const shown = choice.name.slice(0, 80);
    throw invalidRequest(body.at('tool_choice'), `Tool '${shown}' not found in provided tools`, 'unknown_tool');
  }
  const isSingle = type === 'none' ? undefined : block.as<Anthropic.ToolChoiceTool>().flag('disable_parallel_tool_use');
  return { toolChoice: choice, ...(isSingle === undefined ? {} : { parallelToolCalls: !isSingle }) };
}

function toolChoice(choice: Fields<Anthropic.ToolChoiceTool>, type: string): NonNullable<ToolUse['toolChoice']> {
  if (type === 'auto' || type === 'none') return type;
  if (type === 'any') return 'required';
  if (type === 'tool') return { name: choice.name('name') };
  throw unexpectedTag(choice.place, type, ['auto', 'any', 'tool', 'none']);
}
