import type Anthropic from '@anthropic-ai/sdk';
import {
  type ChatRequest,
  definedMembers,
  fieldsOf,
  type ModelInfo,
  providerError,
  refuseMembers,
} from '@patchbay/core/provider';
import { systemWithin } from './catalogue.ts';
import { conversation } from './conversation.ts';
import { outputSchema } from './output-format.ts';
import { reasoningConfig, reasons } from './reasoning-config.ts';
import { toolUse } from './tool-use.ts';
import { foreignTo, refused, vendorMembers } from './vendor-members.ts';

/**
 * The body of a request, and warnings about what was expressed differently.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest) {
  const { temperature, topP, stop } = request;
  if (temperature !== undefined && topP !== undefined) {
    const message = `${provider}/${model.name} takes temperature or topP, not both`;
    throw providerError('unsupported', message, { parameter: 'topP' });
  }
  if (stop?.some((text) => text.trim() === '')) {
    throw providerError('unsupported', `${provider} does not stop at white space alone`, { parameter: 'stop' });
  }
  // Whether to stream is not the caller's decision.
  const { stream: _, ...members } = vendorMembers(request);
  refuseMembers(provider, members, refused);
  const { system, messages, warnings } = conversation(provider, request.messages, systemWithin.has(model.name));
  const use = toolUse(provider, model, request);
  const format = request.responseSchema && outputSchema(provider, request.responseSchema);
  const limit = tokenLimit(provider, model, request);
  const reasoning = reasoningConfig(provider, model, request, limit.maxTokens);
  const json = jsonInstruction(provider, request);
  const blocks = [...system, ...[use.instruction, json.instruction].flatMap(instructionBlocks)];
  const outputConfig: Anthropic.OutputConfig = {
    ...definedMembers({ effort: reasoning.effort }),
    ...fieldsOf(members['output_config']),
    ...(format && { format: { type: 'json_schema' as const, schema: { ...format.schema } } }),
  };
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    ...definedMembers({ thinking: reasoning.thinking }),
    ...(members as object),
    model: model.name,
    max_tokens: limit.maxTokens,
    messages,
    ...definedMembers({
      system: blocks.length > 0 ? blocks : undefined,
      temperature,
      top_p: topP,
      stop_sequences: stop && [...stop],
      tools: use.tools,
      tool_choice: use.choice,
      output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    }),
  };
  const noSeed = request.seed === undefined ? [] : [`${provider} has no seed: it was left out`];
  const adapted = [
    foreignTo(request),
    warnings,
    use.warnings,
    format?.warnings ?? [],
    limit.warnings,
    reasoning.warnings,
    json.warnings,
  ];
  return { body, warnings: [...adapted.flat(), ...noSeed] };
}

function instructionBlocks(text: string | undefined): Anthropic.TextBlockParam[] {
  return text === undefined ? [] : [{ type: 'text', text }];
}

/** Anthropic requires a token limit. A reasoning model uses a part of it before its output. */
function tokenLimit(provider: string, model: ModelInfo, request: ChatRequest) {
  if (request.maxTokens !== undefined) return { maxTokens: request.maxTokens, warnings: [] };
  const usual = reasons(model, request) ? 16_384 : 4_096;
  const maxTokens = Math.min(usual, model.maxTokens ?? usual);
  return { maxTokens, warnings: [`${provider}/${model.name} needs maxTokens: it was set to ${maxTokens}`] };
}

/** JSON of any form is requested in the prompt: structured outputs need a schema. */
function jsonInstruction(provider: string, { responseJson, responseSchema }: ChatRequest) {
  if (!responseJson || responseSchema) return { warnings: [] };
  return {
    instruction: 'Answer with one JSON object, and with nothing else.',
    warnings: [`${provider} cannot be held to JSON without a schema: it was instructed to`],
  };
}
