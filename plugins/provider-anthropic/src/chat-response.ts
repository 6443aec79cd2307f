import {
  type ChatRequest,
  type ChatResult,
  completeChat,
  fieldsOf,
  type JsonFields,
  listOf,
  readToolArguments,
  type ToolCall,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { finishReason } from './finish-reason.ts';
import { readUsage } from './read-usage.ts';

/** Reads a message. What is none is a failure, never an answer. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const { badAnswer } = upstream;
  const blocks = listOf(document['content']);
  const reason = textOf(document['stop_reason']);
  if (!blocks || reason === undefined) throw badAnswer('has no finished content', document);

  const toolCalls: ToolCall[] = [];
  let content = '';
  for (const value of blocks) {
    const block = fieldsOf(value);
    if (!block) throw badAnswer('has content that is no block', document);
    if (block['type'] === 'text') content += readText(block, upstream);
    if (block['type'] === 'tool_use') toolCalls.push(readToolCall(block, block['input'], upstream));
  }
  const usage = readUsage(fieldsOf(document['usage']), upstream);
  const answer = {
    content,
    toolCalls,
    finishReason: finishReason(reason, toolCalls),
    usage,
    model: textOf(document['model']),
  };
  return completeChat(answer, request, warnings, upstream);
}

export function readText(block: JsonFields, { badAnswer }: UpstreamClient): string {
  const text = textOf(block['text']);
  if (text === undefined) throw badAnswer('has a text that is none', block);
  return text;
}

export function readToolCall(block: JsonFields, input: unknown, { badAnswer }: UpstreamClient): ToolCall {
  const id = textOf(block['id']);
  const name = textOf(block['name']);
  if (!id || !name) throw badAnswer('has a tool call without id or name', block);
  return { id, name, arguments: readToolArguments(input) };
}
