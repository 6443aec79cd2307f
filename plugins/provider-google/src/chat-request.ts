import type {
  FunctionCallingMode,
  FunctionCallPart,
  FunctionResponsePart,
  GenerationConfig,
  InlineDataPart,
  TextPart,
} from '@google/generative-ai';
import type { Schema } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type ContentPart,
  definedMembers,
  embeddedImage,
  fieldsOf,
  type JsonFields,
  type LevelledSchema,
  levelSchema,
  type ModelInfo,
  providerError,
  type SchemaDialect,
  splitSystemMessages,
  type Turn,
} from '@patchbay/core/provider';
import { NO_SIGNATURE, unpackToolCallId } from './tool-call-id.ts';

/**
 * The body of a request, and warnings of what was expressed in another way.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest) {
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

/**
 * Gemini knows results by the name of the function, wants those of one turn together, and refuses empty texts.
 *
 * @param provider Name of the provider, for messages.
 */
function conversation(provider: string, model: string, turns: readonly Turn[]): WireContent[] {
  const contents: WireContent[] = [];
  const names = new Map<string, string>();
  for (const turn of turns) {
    if (turn.role === 'assistant') for (const call of turn.toolCalls ?? []) names.set(call.id, call.name);
    const parts = partsOf(provider, model, turn, names);
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return contents;
}

function partsOf(provider: string, model: string, turn: Turn, names: ReadonlyMap<string, string>): WirePart[] {
  switch (turn.role) {
    case 'user':
      if (typeof turn.content === 'string') return textParts(turn.content);
      return turn.content.flatMap((part) => userParts(provider, part));
    case 'assistant':
      return [...textParts(turn.content), ...callParts(model, turn)];
    case 'tool': {
      const name = names.get(turn.toolCallId);
      if (name === undefined)
        throw providerError('unsupported', `${provider} takes results of calls in the history only`);
      const { id } = unpackToolCallId(turn.toolCallId);
      return [{ functionResponse: { id, name, response: resultOf(turn.content) } }];
    }
  }
}

function callParts(model: string, { toolCalls = [] }: Extract<Turn, { readonly role: 'assistant' }>): WirePart[] {
  // Of calls made at once, only the first has a signature. The generation before 3 needs none.
  const needsSignature = !model.startsWith('gemini-2');
  return toolCalls.map((call, index) => {
    const { id, signature = needsSignature && index === 0 ? NO_SIGNATURE : undefined } = unpackToolCallId(call.id);
    const functionCall = { id, name: call.name, args: call.arguments };
    return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
  });
}

/** Results are objects. What is none is wrapped in one. */
function resultOf(content: string): JsonFields {
  try {
    return fieldsOf(JSON.parse(content)) ?? { result: content };
  } catch {
    return { result: content };
  }
}

function userParts(provider: string, part: ContentPart): WirePart[] {
  if (part.type === 'text') return textParts(part.text);
  const image = embeddedImage(part);
  if (!image) throw providerError('unsupported', `${provider} takes images as data only, not by their address`);
  return [{ inlineData: { mimeType: image.mediaType, data: image.data } }];
}

function textParts(text: string): WirePart[] {
  return text === '' ? [] : [{ text }];
}

/** Keywords that the API takes. ai.google.dev/gemini-api/docs/structured-output, 2026-11. */
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

/** @param subject What the schema is for, for the warnings. */
function jsonSchema(schema: Schema, subject: string): LevelledSchema {
  return levelSchema(schema, dialect, subject);
}

// The SDK's types, with the members that the API got after the SDK's last version.

interface Identified {
  readonly id?: string;
}

type WirePart =
  | TextPart
  | InlineDataPart
  | (Omit<FunctionCallPart, 'functionCall'> & {
      functionCall: FunctionCallPart['functionCall'] & Identified;
      /** The thought of the model behind the call. It must come back unchanged. */
      thoughtSignature?: string;
    })
  | (Omit<FunctionResponsePart, 'functionResponse'> & {
      functionResponse: FunctionResponsePart['functionResponse'] & Identified;
    });

interface WireContent {
  role: 'user' | 'model';
  parts: WirePart[];
}

interface WireFunction {
  name: string;
  description?: string;
  parametersJsonSchema: object;
}

interface GenerateContentBody {
  contents: WireContent[];
  systemInstruction?: { parts: TextPart[] };
  tools?: [{ functionDeclarations: WireFunction[] }];
  toolConfig?: { functionCallingConfig: { mode: `${FunctionCallingMode}`; allowedFunctionNames?: string[] } };
  generationConfig?: Omit<GenerationConfig, 'responseSchema'> & { responseJsonSchema?: object };
}
