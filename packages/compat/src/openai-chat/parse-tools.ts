import type { Schema } from '@patchbay/core/plugin';
import type { Tool } from '@patchbay/core/provider';
import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatInput } from '../gateway-types.ts';
import type { Field, Value } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import type { Warnings } from '../request/warnings.ts';
import { readCache } from './parse-content.ts';
import type { ChatBody } from './request-members.ts';

const MAX_TOOLS = 128;

export type ToolMembers = Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

export interface ParsedTools extends ToolMembers {
  /** The request has `functions`, as clients from before 2024 do, and expects `function_call` in the response. */
  readonly asFunctionCall: boolean;
}

/** The tools of a request, and which of them the model must call. */
export function parseTools(body: Field<ChatBody>, warnings: Warnings): ParsedTools {
  const [functions, choice] = [body.member('functions'), body.member('function_call')];
  const parallelToolCalls = body.member('parallel_tool_calls').maybe((field) => field.flag());
  const tools = limited(body.member('tools')).map((tool) => readTool(tool, warnings));
  if (functions.isGiven || choice.isGiven) {
    if (tools.length > 0) functions.fail('invalid_value', 'must not stand beside tools');
    const old = limited(functions).map((definition) => readDefinition(definition, warnings));
    // A message from that time has room for one call.
    const parsed = { ...chosen(old, choice, functionChoice), ...(old.length > 0 && { parallelToolCalls: false }) };
    return { ...parsed, asFunctionCall: true };
  }
  const selected = chosen(tools, body.member('tool_choice'), toolChoice);
  return { ...selected, ...definedMembers({ parallelToolCalls }), asFunctionCall: false };
}

export function limited<T extends readonly unknown[]>(list: Field<T>) {
  const items = list.maybe((field) => field.list()) ?? [];
  return items.length > MAX_TOOLS ? list.fail('invalid_value', `must have at most ${MAX_TOOLS} items`) : items;
}

function readTool(tool: Field<OpenAI.ChatCompletionTool>, warnings: Warnings): Tool {
  refuseCustom(tool.member('type'));
  const cache = readCache(tool.as());
  return { ...readDefinition(tool.member('function'), warnings), ...(cache && { cache }) };
}

export function refuseCustom(type: Value): void {
  if (type.text() !== 'function') type.fail('unsupported_value', 'must be "function": no other tools are offered here');
}

function readDefinition(definition: Field<OpenAI.FunctionDefinition>, warnings: Warnings): Tool {
  const description = definition.member('description').maybe((field) => field.text());
  // Tools are not strict unless they say so.
  const isStrict = definition.member('strict').value !== false;
  return {
    name: functionName(definition.member('name')),
    ...(description !== undefined && { description }),
    // Without parameters, a function has an empty list of them.
    parameters: (definition.member('parameters').maybe((field) => field.object()) ?? noParameters) as Schema,
    ...warnings.keep(definition.rest(...(isStrict ? (['strict'] as const) : [])), 'tools[].function'),
  };
}

export const noParameters = { type: 'object', properties: {} } as const;

export interface Choice {
  readonly toolChoice: ChatInput['toolChoice'];
  /** Where only some of the tools are allowed. */
  readonly names?: readonly Value[];
}

/** The tools that the model may call, and the choice among them. */
export function chosen<T>(tools: readonly Tool[], field: Field<T>, read: (field: Field<T>) => Choice): ToolMembers {
  const choice = field.maybe(read);
  const { toolChoice, names = [] } = choice ?? {};
  if (typeof toolChoice === 'object' || toolChoice === 'required') {
    if (tools.length === 0) field.fail('invalid_value', 'needs tools');
  }
  for (const named of names) {
    if (!tools.some(({ name }) => name === named.value)) named.fail('invalid_value', 'is not the name of a tool');
  }
  if (tools.length === 0) return {};
  const isAllowed = ({ name }: Tool): boolean => names.some(({ value }) => value === name);
  const offered = typeof toolChoice === 'object' || names.length === 0 ? tools : tools.filter(isAllowed);
  return { tools: offered, ...definedMembers({ toolChoice }) };
}

type ChoiceType = Exclude<OpenAI.ChatCompletionToolChoiceOption, string>['type'];
const choiceTypes = ['function', 'allowed_tools'] as const satisfies ChoiceType[];

function toolChoice(choice: Field<OpenAI.ChatCompletionToolChoiceOption>): Choice {
  if (typeof choice.value === 'string') return { toolChoice: choice.oneOf(['none', 'auto', 'required']) };
  const type = choice.member('type');
  if (type.value === 'custom') type.fail('unsupported_value', 'must be "function": no other tools are offered here');
  if (type.oneOf(choiceTypes) === 'function') return named(choice.member('function').member('name'));
  const allowed = choice.member('allowed_tools');
  const names = allowed
    .member('tools')
    .list()
    .map((tool) => {
      refuseCustom(tool.member('type'));
      return tool.member('function').as<OpenAI.FunctionDefinition>().member('name');
    });
  if (names.length === 0) allowed.member('tools').fail('invalid_value', 'must not be an empty list');
  return { toolChoice: allowed.member('mode').oneOf(['auto', 'required']), names };
}

function functionChoice(choice: Field<OpenAI.ChatCompletionFunctionCallOption | 'none' | 'auto'>): Choice {
  if (typeof choice.value === 'string') return { toolChoice: choice.oneOf(['none', 'auto']) };
  return named(choice.member('name'));
}

export const named = (name: Value): Choice => ({ toolChoice: { name: name.name() }, names: [name] });
