import type { Schema } from '@patchbay/core/plugin';
import { definedMembers, type Tool } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import {
  type Choice,
  chosen,
  limited,
  named,
  noParameters,
  refuseCustom,
  type ToolMembers,
} from '../openai-chat/parse-tools.ts';
import type { Field } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import type { Warnings } from '../request/warnings.ts';
import { nameWithin } from './namespaces.ts';
import type { ResponsesBody } from './request-members.ts';

/** The tools of a request, and which of them the model must call. */
export function parseTools(body: Field<ResponsesBody>, warnings: Warnings): ToolMembers {
  const parallelToolCalls = body.member('parallel_tool_calls').maybe((field) => field.flag());
  const tools = limited(body.member('tools')).flatMap((tool) =>
    tool.member('type').value === 'namespace' ? readNamespace(tool.as(), warnings) : [readTool(tool.as(), warnings)],
  );
  return { ...chosen(tools, body.member('tool_choice').as(), toolChoice), ...definedMembers({ parallelToolCalls }) };
}

type FunctionMembers = Pick<OpenAI.Responses.FunctionTool, 'name' | 'type' | 'description' | 'parameters' | 'strict'>;

/** Models of other vendors have no namespaces: its description goes to each of its functions. */
function readNamespace(namespace: Field<OpenAI.Responses.NamespaceTool>, warnings: Warnings): readonly Tool[] {
  const within = functionName(namespace.member('name'));
  const about = namespace.member('description').maybe((field) => field.text()) ?? '';
  return limited(namespace.member('tools')).map((each) => {
    const tool = readTool(each.as(), warnings);
    const description = [about, tool.description ?? ''].filter((text) => text !== '').join('\n\n');
    const name = nameWithin(within, tool.name);
    if (name.length > 64)
      each.as<FunctionMembers>().member('name').fail('invalid_value', `makes ${name}, which is too long`);
    return { ...tool, name, ...(description !== '' && { description }) };
  });
}

function readTool(tool: Field<FunctionMembers>, warnings: Warnings): Tool {
  refuseCustom(tool.member('type'));
  const description = tool.member('description').maybe((field) => field.text());
  // Tools are strict unless they say otherwise, which other vendors cannot promise: only an explicit one is passed on.
  const isStrict = tool.member('strict').value === true;
  return {
    name: functionName(tool.member('name')),
    ...definedMembers({ description }),
    parameters: (tool.member('parameters').maybe((field) => field.object()) ?? noParameters) as Schema,
    ...warnings.keep(tool.rest(...(isStrict ? (['strict'] as const) : [])), 'tools[]'),
  };
}

function toolChoice(choice: Field): Choice {
  if (typeof choice.value === 'string') return { toolChoice: choice.as().oneOf(['none', 'auto', 'required']) };
  const param = choice.as<{
    readonly type: string;
    readonly name: string;
    readonly tools: unknown;
    readonly mode: string;
  }>();
  const type = param.member('type');
  if (type.text() !== 'function' && type.text() !== 'allowed_tools') {
    type.fail('unsupported_value', 'must be "function" or "allowed_tools": no other tools are offered here');
  }
  if (type.text() === 'function') return named(param.member('name'));
  const allowed = param.member('tools').as<readonly { readonly type: string; readonly name: string }[]>();
  const names = allowed.list().map((tool) => {
    refuseCustom(tool.member('type'));
    return tool.member('name');
  });
  if (names.length === 0) allowed.fail('invalid_value', 'must not be an empty list');
  return { toolChoice: param.member('mode').oneOf(['auto', 'required']), names };
}
