import type { JsonObject, Schema } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  type ChatResult,
  estimateTokens,
  estimateUsage,
  jsonTextOf,
  providerError,
  type ToolCall,
} from '@patchbay/core/provider';
import { answerText } from './answer-text.ts';
import { chooseTool } from './choose-tool.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { fillSchema } from './fill/fill-schema.ts';
import { createMaterial } from './fill/material.ts';
import type { Filling } from './fill/slot.ts';
import { cutToTokens } from './text/cut-text.ts';

type Draft = Pick<ChatResult, 'content' | 'toolCalls'> & { readonly placeholders: readonly string[] };

const samplingNames = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;
const SHOWN_PLACEHOLDERS = 5;

/**
 * The answer to a request: the same one each time.
 *
 * @param id `<provider>/<model>`, for the warnings.
 * @param maxTokens What the answer may have at most.
 */
export function answer(request: ChatRequest, id: string, maxTokens: number): ChatResult {
  const draft = draftOf(request, readConversation(request));
  const { content, toolCalls, finishReason } = limited(draft, maxTokens);
  return {
    content,
    toolCalls,
    finishReason,
    usage: estimateUsage(request, content, toolCalls),
    warnings: warningsOf(request, draft, id),
  };
}

function draftOf(request: ChatRequest, conversation: Conversation): Draft {
  const tool = chooseTool(request, conversation);
  if (tool) {
    const { value, placeholders } = filled(tool.parameters, conversation, `the parameters of ${tool.name}`);
    const calls = request.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    );
    const id = `call_${calls.length + 1}`;
    const toolCall: ToolCall = { id, name: tool.name, arguments: value as JsonObject };
    return { content: '', toolCalls: [toolCall], placeholders };
  }
  if (request.responseSchema) {
    const { value, placeholders } = filled(request.responseSchema, conversation, 'the response schema');
    return { content: JSON.stringify(value), toolCalls: [], placeholders };
  }
  return { content: answerText(conversation), toolCalls: [], placeholders: [] };
}

function filled(schema: Schema, { question, toolResults, before }: Conversation, subject: string): Filling {
  const filling = fillSchema(schema, createMaterial([question, ...toolResults].join('\n'), before.join('\n')));
  if (filling) return filling;
  throw providerError('unsupported', `the demo finds no value that fits ${subject}`);
}

function limited({ content, toolCalls }: Draft, maxTokens: number): Omit<ChatResult, 'usage'> {
  if (toolCalls.length === 0) {
    const cut = cutToTokens(content, maxTokens);
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
    const more = placeholders.length > SHOWN_PLACEHOLDERS ? ' and more' : '';
    const shown = placeholders.slice(0, SHOWN_PLACEHOLDERS).map((pointer) => pointer || 'the whole value');
    warnings.push(`nothing in the text fits ${shown.join(', ')}${more}: placeholders stand there`);
  }
  return warnings;
}
