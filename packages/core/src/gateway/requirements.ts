import { PatchbayError } from '@patchbay/contracts/errors';
import type { ContentPart, Message } from '@patchbay/contracts/message';
import { type ModelCapability, type Sampling, samplingNames } from '@patchbay/contracts/provider';
import type { RoutingOptions } from '@patchbay/contracts/router';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import { definedMembers } from '@patchbay/outbound/provider-kit/json-fields';
import { foreignReasoning } from '@patchbay/outbound/provider-kit/message-content';
import type { Conversation } from './ask-model.ts';
import { checkMessages, type ReceivedMessage } from './check-gateway-input.ts';
import { type CheckedBy, checkTools, declaredTools } from './function-call.ts';
import type { GenerateInput, ToolChatInput } from './gateway-service.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { OriginalRequest } from './original-request.ts';
import { type Conversing, turnsOf } from './session-affinity.ts';
import { toolChoiceFault } from './tool-turns.ts';

/** A function whose work models do. */
export interface TaskOf {
  readonly functionName: string;
  /** Version of its settings; 0 if none are stored. */
  readonly settingsVersion: number;
}

/** The requirements of one request. */
export interface Requirements {
  readonly capabilities: readonly ModelCapability[];
  readonly sampling: Sampling;
  /** Estimated tokens of the prompt. */
  readonly inputTokens: number;
  /** Lower bound of the tokens of the prompt, for any tokenizer. */
  readonly leastInputTokens: number;
  readonly routing: RoutingOptions;
  /** The function, if any, whose records of models count. */
  readonly task?: TaskOf;
  /** Those of several models that can receive the request in a form that they understand. Default: all. */
  readonly canServe?: (models: readonly CatalogModel[]) => Promise<readonly CatalogModel[]>;
  /** Warnings about what a model does not receive of the request. Default: none. */
  readonly leftOut?: (model: CatalogModel) => readonly string[] | Promise<readonly string[]>;
  /** Only its tokens are counted, which is not an answer. */
  readonly isCount?: boolean;
  /** Absent for a single request, which no other one continues. */
  readonly conversing?: Conversing | undefined;
}

/** The sampling parameters that a request sets. */
export function samplingOf(input: Sampling): Sampling {
  const sampling: { -readonly [N in keyof Sampling]: Sampling[N] } = {};
  for (const name of samplingNames) {
    const value = input[name];
    if (value !== undefined) sampling[name] = value;
  }
  return sampling;
}

export function chatRequirements(conversation: Conversation, routing: RoutingOptions = {}): Requirements {
  const { messages, tools, responseSchema } = conversation;
  const capabilities: ModelCapability[] = ['chat'];
  const need = (capability: ModelCapability): void => {
    if (!capabilities.includes(capability)) capabilities.push(capability);
  };
  for (const capability of routing.capabilities ?? []) need(capability);
  if (tools && tools.length > 0) need('tools');
  if (responseSchema) need('structured-output');
  let characters = jsonLength(tools);
  for (const { role, content } of messages) {
    if (role === 'tool') need('tools');
    if (typeof content === 'string') characters += content.length;
    else {
      for (const part of content as readonly ContentPart[]) {
        const capability = capabilityOf[part.type];
        if (capability) need(capability);
        characters += partLength(part);
      }
    }
  }
  return {
    capabilities,
    sampling: samplingOf(conversation),
    ...tokenEstimate(characters),
    routing,
    leftOut: (model) => leftOutReasoning(messages, model),
  };
}

/** The capability that a model needs for each kind of part. */
const capabilityOf: { readonly [T in ContentPart['type']]?: ModelCapability } = {
  image: 'vision',
  audio: 'audio',
  file: 'files',
  'tool-call': 'tools',
};

/** Warnings about the reasoning that a model does not receive, because it is not of its provider. */
function leftOutReasoning(messages: readonly Message[], { id, provider }: CatalogModel): readonly string[] {
  const foreign = foreignReasoning(messages, provider);
  if (foreign.length === 0) return [];
  const authors = new Set(foreign.map(({ by }) => by));
  return [...authors].map((by) =>
    by === undefined
      ? 'reasoning that does not say which model it is from is sent to no model'
      : `the reasoning of ${by} was not sent to ${id}`,
  );
}

/** The function of a request, if it has one. */
export function taskOf({ functionName, settingsVersion = 0 }: Partial<TaskOf>): TaskOf | undefined {
  return functionName === undefined ? undefined : { functionName, settingsVersion };
}

/** @param task Models with a bad record for it rank lower. */
export function forTask(needs: Requirements, task: TaskOf | undefined): Requirements {
  return task === undefined ? needs : { ...needs, task };
}

/** Of a request that others of the same conversation follow. */
export function inConversation(needs: Requirements, { messages }: Conversation): Requirements {
  return { ...needs, conversing: { turns: () => turnsOf(messages) } };
}

export function embedRequirements(text: string, routing: RoutingOptions = {}): Requirements {
  const capabilities = new Set<ModelCapability>(['embeddings', ...(routing.capabilities ?? [])]);
  return { capabilities: [...capabilities], sampling: {}, ...tokenEstimate(text.length), routing };
}

/** Of a request that may be forwarded: the sampling in its dialect is between the caller and the vendor. */
export function forwardRequirements(original: OriginalRequest, routing: RoutingOptions = {}): Requirements {
  const { inputTokens, maxTokens, conversing } = original;
  return {
    capabilities: [...new Set([...original.capabilities, ...(routing.capabilities ?? [])])],
    sampling: maxTokens === undefined ? {} : { maxTokens },
    inputTokens,
    leastInputTokens: Math.floor(inputTokens / 4),
    routing,
    conversing,
  };
}

// Assumptions: an ordinary token has 4 characters, and at most 16. The provider decides doubtful cases.
function tokenEstimate(characters: number): { inputTokens: number; leastInputTokens: number } {
  return { inputTokens: Math.ceil(characters / 4), leastInputTokens: Math.floor(characters / 16) };
}

function partLength(part: ContentPart): number {
  if (part.type === 'tool-call') return part.name.length + jsonLength(part.arguments);
  return 'text' in part ? part.text.length : 0;
}

const jsonLength = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);

/** @throws PatchbayError `invalid_request` */
export function conversationOf(input: ToolChatInput): Conversation {
  const tools = input.tools && declaredTools(input.tools, '/tools');
  const { messages, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseSchema, responseJson, extra } =
    input;
  const fault = toolChoice && toolChoiceFault(toolChoice, tools);
  if (fault) throw new PatchbayError('invalid_request', 'the choice of a tool cannot be met', { errors: [fault] });
  return {
    messages: messages.every(isPlain) ? (messages as readonly Message[]) : checkMessages(messages),
    ...samplingOf(input),
    ...definedMembers({ tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseJson, extra }),
    ...(responseSchema && { responseSchema: resolvedSchema(responseSchema) }),
  };
}

/** Whether a message is a text and nothing else, as most are. It accepts nothing that `checkMessages` refuses. */
function isPlain({ role, content, parts, toolCalls, toolCallId, isError }: ReceivedMessage): boolean {
  const hasMore = parts !== undefined || toolCalls !== undefined || toolCallId !== undefined || isError !== undefined;
  return typeof content === 'string' && role !== 'tool' && !hasMore;
}

/** @throws PatchbayError `invalid_request`; `schema_invalid` for a schema beyond the profile. */
export function chatConversation(input: ToolChatInput, by: CheckedBy): Conversation | Promise<Conversation> {
  const { tools, responseSchema } = input;
  if (!tools && !responseSchema) return conversationOf(input);
  const others = responseSchema ? [{ schema: responseSchema, pointer: '/responseSchema' }] : [];
  const checked = checkTools(declaredTools(tools ?? [], '/tools'), '/tools', by, others);
  return checked.then(() => conversationOf(input));
}

export function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}
