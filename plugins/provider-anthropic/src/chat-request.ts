import type Anthropic from '@anthropic-ai/sdk';
import {
  type ChatRequest,
  type ContentPart,
  definedMembers,
  embeddedImage,
  type ModelInfo,
  portableToolCallId,
  providerError,
  splitSystemMessages,
  type Turn,
} from '@patchbay/core/provider';
import { noForcedTools, thinksByDefault } from './catalogue.ts';
import { outputSchema } from './output-format.ts';

/**
 * The body of a request, and warnings of what was expressed in another way.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest) {
  if (request.temperature !== undefined && request.topP !== undefined) {
    throw providerError('unsupported', `${provider}/${model.name} takes temperature or topP, not both`);
  }
  const { system, turns, warnings } = splitSystemMessages(provider, request.messages);
  const use = toolUse(provider, model, request);
  const format = request.responseSchema && outputSchema(provider, request.responseSchema);
  const limit = tokenLimit(provider, model, request.maxTokens);
  const instructions = [...system, ...(use.instruction ? [use.instruction] : [])];
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model: model.name,
    max_tokens: limit.maxTokens,
    messages: conversation(provider, turns),
    ...definedMembers({
      system: instructions.length > 0 ? instructions.map((text) => ({ type: 'text' as const, text })) : undefined,
      temperature: request.temperature,
      top_p: request.topP,
      tools: use.tools,
      tool_choice: use.choice,
      output_config: format && { format: { type: 'json_schema' as const, schema: { ...format.schema } } },
    }),
  };
  return { body, warnings: [...warnings, ...use.warnings, ...(format?.warnings ?? []), ...limit.warnings] };
}

/** Anthropic requires a token limit. A reasoning model uses a part of it before its output. */
function tokenLimit(provider: string, model: ModelInfo, asked: number | undefined) {
  if (asked !== undefined) return { maxTokens: asked, warnings: [] };
  const usual = thinksByDefault.has(model.name) ? 16_384 : 4_096;
  const maxTokens = Math.min(usual, model.maxTokens ?? usual);
  return { maxTokens, warnings: [`${provider}/${model.name} needs maxTokens: it was set to ${maxTokens}`] };
}

interface ToolUse {
  readonly tools?: Anthropic.Tool[];
  readonly choice?: Anthropic.ToolChoice;
  /** Said to the model where it cannot be forced. */
  readonly instruction?: string;
  readonly warnings: readonly string[];
}

/** The tools, and whether the model has to use one: by force, or by a sentence where force is refused. */
function toolUse(provider: string, model: ModelInfo, { tools = [], toolChoice }: ChatRequest): ToolUse {
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
    warnings: [`${provider}/${model.name} cannot be forced to call a tool: it was instructed to`],
  };
}

function toolOf({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]): Anthropic.Tool {
  const schema = { ...parameters, type: 'object' as const };
  return { name, ...definedMembers({ description }), input_schema: schema as Anthropic.Tool.InputSchema };
}

/**
 * Anthropic wants the results of one turn's tool calls in one message, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
function conversation(provider: string, turns: readonly Turn[]): Anthropic.MessageParam[] {
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

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/**
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for a kind of image that Anthropic does not take.
 */
function imageSource(
  provider: string,
  image: Extract<ContentPart, { readonly type: 'image' }>,
): Anthropic.Base64ImageSource | Anthropic.URLImageSource {
  const embedded = embeddedImage(image);
  if (!embedded) return { type: 'url', url: 'url' in image ? image.url : '' };
  const mediaType = mediaTypes.find((type) => type === embedded.mediaType);
  if (!mediaType) throw providerError('unsupported', `${provider} takes images as ${mediaTypes.join(', ')} only`);
  return { type: 'base64', media_type: mediaType, data: embedded.data };
}
