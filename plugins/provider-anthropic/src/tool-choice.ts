import type Anthropic from '@anthropic-ai/sdk';
import { type ChatRequest, definedMembers, type ModelInfo } from '@patchbay/core/provider';
import { noForcedTools } from './catalogue.ts';

export interface ToolUse {
  readonly tools?: Anthropic.Tool[];
  readonly choice?: Anthropic.ToolChoice;
  /** Said to the model where it cannot be forced. */
  readonly instruction?: string;
  readonly warnings: readonly string[];
}

/** The tools, and whether the model has to use one: by force, or by a sentence where force is refused. */
export function toolUse(provider: string, model: ModelInfo, { tools = [], toolChoice }: ChatRequest): ToolUse {
  if (tools.length === 0) return { warnings: [] };
  const wanted = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  const forced = toolChoice === 'required' || wanted !== undefined;
  if (!forced || !noForcedTools.has(model.name)) {
    const choice =
      wanted === undefined ? ({ type: forced ? 'any' : 'auto' } as const) : { type: 'tool' as const, name: wanted };
    return { tools: tools.map(toolOf), ...(toolChoice ? { choice } : {}), warnings: [] };
  }
  // A model that sees one tool only can call no other.
  const offered = wanted === undefined ? tools : tools.filter(({ name }) => name === wanted);
  return {
    tools: offered.map(toolOf),
    choice: { type: 'auto' },
    instruction: `Answer by calling ${wanted === undefined ? 'one of the tools' : `the tool ${wanted}`}, and with nothing else.`,
    warnings: [`${provider}/${model.name} cannot be forced to call a tool: it was told to`],
  };
}

function toolOf({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]): Anthropic.Tool {
  const schema = { ...parameters, type: 'object' as const };
  return { name, ...definedMembers({ description }), input_schema: schema as Anthropic.Tool.InputSchema };
}
