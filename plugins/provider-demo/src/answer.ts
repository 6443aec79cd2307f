import type { JsonObject, Schema } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type ChatResult,
  estimateTokens,
  estimateUsage,
  jsonTextOf,
  providerError,
} from '@patchbay/core/provider';
import { answerText } from './answer-text.ts';
import { type Conversation, chooseTool, readConversation } from './conversation.ts';
import { cutToBytes } from './cut-text.ts';
import { fillSchema } from './fill-schema.ts';
import { createMaterial } from './material.ts';
import type { Filling } from './slot.ts';

type Draft = Pick<ChatResult, 'content' | 'toolCalls'> & { readonly placeholders: readonly string[] };

const samplingNames = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;
const SHOWN_PLACEHOLDERS = 20;
/** As `estimateTokens` counts. */
const BYTES_PER_TOKEN = 4;

/** The response to a request: the same one each time. The id, `<provider>/<model>`, is for the warnings. */
export function answer(request: ChatRequest, id: string, maxTokens: number): ChatResult {
  const draft = draftOf(request, readConversation(request));
  const { content, toolCalls, finishReason } = limited(draft, maxTokens);
  const usage = estimateUsage(request, content, toolCalls);
  return { content, toolCalls, finishReason, usage, warnings: warningsOf(request, draft, id) };
}

function draftOf(request: ChatRequest, conversation: Conversation): Draft {
  const tool = chooseTool(request, conversation);
  if (tool) {
    const { value, placeholders } = filled(tool.parameters, conversation, `the parameters of ${tool.name}`);
    const calls = request.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    );
    const id = `call_${calls.length + 1}`;
    return { content: '', toolCalls: [{ id, name: tool.name, arguments: value as JsonObject }], placeholders };
  }
  if (request.responseSchema) {
    const { value, placeholders } = filled(request.responseSchema, conversation, 'the response schema');
    return { content: JSON.stringify(value), toolCalls: [], placeholders };
  }
  return { content: answerText(conversation), toolCalls: [], placeholders: [] };
}

function filled(schema: Schema, { question, toolResults }: Conversation, subject: string): Filling {
  const filling = fillSchema(schema, createMaterial([question, ...toolResults].join('\n\n')));
  if (filling) return filling;
  throw providerError('unsupported', `the demo finds no value that fits ${subject}`);
}

function limited({ content, toolCalls }: Draft, maxTokens: number): Omit<ChatResult, 'usage'> {
  if (toolCalls.length === 0) {
    const cut = cutToBytes(content, maxTokens * BYTES_PER_TOKEN);
    return { content: cut, toolCalls, finishReason: cut === content ? 'stop' : 'length' };
  }
  const tokens = toolCalls.reduce((sum, call) => sum + estimateTokens(call.name + jsonTextOf(call.arguments)), 0);
  // Half a call is none.
  if (tokens > maxTokens) return { content: '', toolCalls: [], finishReason: 'length' };
  return { content, toolCalls, finishReason: 'tool-calls' };
}

function warningsOf(request: ChatRequest, { placeholders }: Draft, id: string): readonly string[] {
  const warnings = [`${id} is not a language model: it copies, counts, ranks and labels what it was sent`];
  const ignored = samplingNames.filter((name) => request[name] !== undefined);
  if (ignored.length > 0) warnings.push(`${id} draws no samples, so that ${ignored.join(', ')} has no effect`);
  if (placeholders.length > 0) {
    const shown = placeholders.slice(0, SHOWN_PLACEHOLDERS).map((pointer) => pointer || 'the whole value');
    warnings.push(`nothing in the text fits ${shown.join(', ')}: placeholders stand there`);
  }
  return warnings;
}
