import type Anthropic from '@anthropic-ai/sdk';
import {
  type ChatRequest,
  definedMembers,
  listOf,
  type ModelInfo,
  providerError,
  type Tool,
} from '@patchbay/core/provider';
import { noForcedTools } from './catalogue.ts';
import { marked } from './conversation.ts';
import { vendorMembers } from './vendor-members.ts';

interface ToolUse {
  readonly tools?: Anthropic.ToolUnion[];
  readonly choice?: Anthropic.ToolChoice;
  /** The instruction to a model that cannot be forced. */
  readonly instruction?: string;
  readonly warnings: readonly string[];
}

/** Whether the model must call a tool. */
export function forcesTool({ tools = [], toolChoice }: ChatRequest): boolean {
  return tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
}

/**
 * The tools, and whether the model must use one: enforced, or by an instruction if the model cannot be forced.
 *
 * @param provider Name of the provider, for messages.
 */
export function toolUse(provider: string, model: ModelInfo, request: ChatRequest): ToolUse {
  const { tools = [], toolChoice } = request;
  const vendorTools = (listOf(vendorMembers(request)['tools']) ?? []) as Anthropic.ToolUnion[];
  if (tools.length + vendorTools.length === 0) return { warnings: [] };
  const wanted = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  if (!forcesTool(request) || !noForcedTools.has(model.name)) {
    return {
      tools: [...tools.map((tool) => toolOf(provider, tool)), ...vendorTools],
      ...definedMembers({ choice: choiceOf(request) }),
      warnings: [],
    };
  }
  // A model that sees one tool only can call no other.
  const offered = wanted === undefined ? tools : tools.filter(({ name }) => name === wanted);
  return {
    tools: [...offered.map((tool) => toolOf(provider, tool)), ...(wanted === undefined ? vendorTools : [])],
    choice: { type: 'auto', ...oneCall(request) },
    instruction: `Answer by calling ${wanted === undefined ? 'one of the tools' : `the tool ${wanted}`}, and with nothing else.`,
    warnings: [`${provider}/${model.name} cannot be forced to call a tool: it was instructed to`],
  };
}

function choiceOf(request: ChatRequest): Anthropic.ToolChoice | undefined {
  const { toolChoice, parallelToolCalls } = request;
  if (toolChoice === 'none') return { type: 'none' };
  if (toolChoice === 'required') return { type: 'any', ...oneCall(request) };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...oneCall(request) };
  // The default of the API, which carries the option about parallel calls.
  return toolChoice === 'auto' || parallelToolCalls === false ? { type: 'auto', ...oneCall(request) } : undefined;
}

/** Several calls in one turn are the default. */
function oneCall({ parallelToolCalls }: ChatRequest): { disable_parallel_tool_use?: true } {
  return parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
}

function toolOf(provider: string, tool: Tool): Anthropic.Tool {
  const { name, description, parameters } = tool;
  const { type = 'custom' } = vendorMembers(tool);
  if (type !== 'custom') throw providerError('unsupported', `${provider} does not support the tool ${name} of its own`);
  const schema = parameters.type === 'object' ? parameters : { ...parameters, type: 'object' as const };
  return marked(tool, {
    name,
    ...definedMembers({ description }),
    input_schema: schema as Anthropic.Tool.InputSchema,
  });
}
