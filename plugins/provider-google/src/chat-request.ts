import {
  type ChatRequest,
  definedMembers,
  fieldsOf,
  levelSchema,
  listOf,
  type ModelInfo,
  providerError,
  type SchemaDialect,
  type Tool,
} from '@patchbay/core/provider';
import { reasoningBudgets, reasonMinimally } from './catalogue.ts';
import { conversation } from './conversation.ts';
import { foreignTo, refuseMembers, vendorMembers } from './vendor-members.ts';
import type { GenerateContentBody, ThinkingConfig, WireGenerationConfig, WireTools } from './wire.ts';

/**
 * The body of a request, and warnings about what was expressed differently.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest) {
  // The model is a part of the address.
  const { model: _, ...members } = vendorMembers(request);
  refuseMembers(provider, members);
  const { contents, system, warnings } = conversation(provider, model.name, request.messages);
  const generation = generationConfig(provider, model, request);
  const body: GenerateContentBody = {
    ...(members as object),
    contents,
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...toolsOf(request),
    ...(Object.keys(generation.config).length > 0 ? { generationConfig: generation.config } : {}),
  };
  const several = request.parallelToolCalls === false && Boolean(request.tools?.length);
  const warning = `${provider} cannot be held to one call at a time`;
  const adapted = [foreignTo(request), warnings, generation.warnings];
  return { body, warnings: [...adapted.flat(), ...(several ? [warning] : [])] };
}

/** Stop sequences of one request, from ai.google.dev/api/generate-content. */
const MAX_STOPS = 5;

/** The largest seed: in ai.google.dev/api/generate-content, it is an integer of 32 bits. */
const MAX_SEED = 2 ** 31 - 1;

function generationConfig(provider: string, model: ModelInfo, request: ChatRequest) {
  const { stop = [], seed = 0, responseSchema, responseJson } = request;
  const refuse = (what: string, parameter: string) =>
    providerError('unsupported', `${provider} takes ${what}`, { parameter });
  if (stop.length > MAX_STOPS) throw refuse(`${MAX_STOPS} stop sequences at most`, 'stop');
  if (Math.abs(seed) > MAX_SEED) throw refuse('seeds of 32 bits only', 'seed');
  const format = responseSchema && levelSchema(responseSchema, dialect, 'the response schema');
  const thinking = thinkingConfig(provider, model, request);
  const members = fieldsOf(vendorMembers(request)['generationConfig']) ?? {};
  const thinkingMembers = { ...thinking.config, ...fieldsOf(members['thinkingConfig']) };
  const config: WireGenerationConfig = {
    ...members,
    ...definedMembers({
      maxOutputTokens: request.maxTokens,
      temperature: request.temperature,
      topP: request.topP,
      frequencyPenalty: request.frequencyPenalty,
      presencePenalty: request.presencePenalty,
      stopSequences: request.stop && [...request.stop],
      seed: request.seed,
      responseMimeType: format || responseJson ? 'application/json' : undefined,
      responseJsonSchema: format?.schema,
      thinkingConfig: Object.keys(thinkingMembers).length > 0 ? thinkingMembers : undefined,
    }),
  };
  return { config, warnings: [...(format?.warnings ?? []), ...thinking.warnings] };
}

function toolsOf(request: ChatRequest): WireTools {
  const { tools = [], toolChoice } = request;
  const members = vendorMembers(request);
  const vendorTools = (listOf(members['tools']) ?? []) as readonly object[];
  if (tools.length === 0) return {};
  return {
    tools: [{ functionDeclarations: tools.map(declarationOf) }, ...vendorTools],
    ...(toolChoice && {
      toolConfig: { ...fieldsOf(members['toolConfig']), functionCallingConfig: callingConfig(toolChoice) },
    }),
  };
}

function declarationOf(tool: Tool) {
  const { name, description, parameters } = tool;
  return {
    ...(vendorMembers(tool) as object),
    name,
    ...definedMembers({ description }),
    parametersJsonSchema: parameters,
  };
}

function callingConfig(choice: NonNullable<ChatRequest['toolChoice']>) {
  if (choice === 'auto') return { mode: 'AUTO' as const };
  if (choice === 'none') return { mode: 'NONE' as const };
  if (choice === 'required') return { mode: 'ANY' as const };
  return { mode: 'ANY' as const, allowedFunctionNames: [choice.name] };
}

/** Keywords of response schemas, from ai.google.dev/gemini-api/docs/structured-output, read 2026-11-23 in a copy. */
const dialect: SchemaDialect = {
  keywords: new Set([
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'description',
    'title',
    'anyOf',
    'prefixItems',
    '$ref',
    '$defs',
    'format',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'additionalProperties',
  ]),
  formats: new Set(['date-time', 'date', 'time']),
};

/**
 * The numbers of Google's own interface for clients of OpenAI, from ai.google.dev/gemini-api/docs/openai, read 2026-11-23
 * in a copy of that summer. It has no `xhigh`: that is the largest budget that any of the models takes.
 */
const budgets = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576, xhigh: 32_768 } as const;

/**
 * The effort in the terms of the model: a level, or a number of tokens.
 *
 * @param provider Name of the provider, for messages.
 */
export function thinkingConfig(
  provider: string,
  model: ModelInfo,
  { reasoningEffort: asked }: ChatRequest,
): { readonly config?: ThinkingConfig; readonly warnings: readonly string[] } {
  const label = `${provider}/${model.name}`;
  if (asked === undefined) return { warnings: [] };
  const known = model.capabilities.includes('reasoning');
  if (!known && asked === 'none') return { warnings: [] };
  if (!known) {
    throw providerError('unsupported', `${label} does not support reasoningEffort`, { parameter: 'reasoningEffort' });
  }

  const budget = reasoningBudgets.get(model.name);
  if (budget && asked === 'none') {
    const warnings =
      budget.none > 0 ? [`${label} always reasons: reasoningEffort none was sent as ${budget.none} tokens`] : [];
    return { config: { thinkingBudget: budget.none }, warnings };
  }
  if (budget && asked !== 'none') {
    const tokens = Math.min(budgets[asked], budget.most);
    const isLess = tokens < budgets[asked];
    return { config: { thinkingBudget: tokens }, warnings: isLess ? [sentAs(label, asked, 'high')] : [] };
  }

  if (asked === 'xhigh') return { config: { thinkingLevel: 'high' }, warnings: [sentAs(label, asked, 'high')] };
  const level = asked === 'none' || asked === 'minimal' ? least(model) : asked;
  return { config: { thinkingLevel: level }, warnings: level === asked ? [] : [sentAs(label, asked, level)] };
}

const least = ({ name }: ModelInfo) => (reasonMinimally.has(name) ? 'minimal' : 'low');

const sentAs = (label: string, asked: string, level: string) =>
  `${label} has no reasoningEffort ${asked}: it was sent as ${level}`;
