import { type ChatRequest, definedMembers, type ModelInfo, splitSystemMessages } from '@patchbay/core/provider';
import { conversation } from './conversation.ts';
import { jsonSchema } from './json-schema.ts';
import type { GenerateContentBody } from './wire.ts';

export interface GeminiChat {
  readonly body: GenerateContentBody;
  /** What had to be expressed in another way. */
  readonly warnings: readonly string[];
}

/** @param provider Name of the provider, for messages. */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest): GeminiChat {
  const { system, turns, warnings } = splitSystemMessages(provider, request.messages);
  const tools = toolsOf(request);
  const format = request.responseSchema && jsonSchema(request.responseSchema, 'the response schema');
  const generationConfig = definedMembers({
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    frequencyPenalty: request.frequencyPenalty,
    presencePenalty: request.presencePenalty,
    responseMimeType: format && 'application/json',
    responseJsonSchema: format?.schema,
  });
  const body: GenerateContentBody = {
    contents: conversation(provider, model.name, turns),
    ...(system.length > 0 ? { systemInstruction: { parts: system.map((text) => ({ text })) } } : {}),
    ...tools.members,
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
  };
  return { body, warnings: [...warnings, ...tools.warnings, ...(format?.warnings ?? [])] };
}

function toolsOf({ tools = [], toolChoice }: ChatRequest) {
  if (tools.length === 0) return { members: {}, warnings: [] };
  const levelled = tools.map(({ name, description, parameters }) => {
    const { schema, warnings } = jsonSchema(parameters, `the parameters of ${name}`);
    return { declaration: { name, ...definedMembers({ description }), parametersJsonSchema: schema }, warnings };
  });
  const members: Pick<GenerateContentBody, 'tools' | 'toolConfig'> = {
    tools: [{ functionDeclarations: levelled.map(({ declaration }) => declaration) }],
    ...(toolChoice ? { toolConfig: { functionCallingConfig: callingConfig(toolChoice) } } : {}),
  };
  return { members, warnings: levelled.flatMap(({ warnings }) => warnings) };
}

function callingConfig(choice: NonNullable<ChatRequest['toolChoice']>) {
  if (choice === 'auto') return { mode: 'AUTO' as const };
  if (choice === 'required') return { mode: 'ANY' as const };
  return { mode: 'ANY' as const, allowedFunctionNames: [choice.name] };
}
