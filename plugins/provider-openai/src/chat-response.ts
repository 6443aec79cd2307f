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
import { readChatUsage } from './read-chat-usage.ts';

/** Reads a chat completion. What is none is a failure, never an answer. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const { badAnswer } = upstream;
  const choice = fieldsOf(listOf(document['choices'])?.[0]);
  const message = fieldsOf(choice?.['message']);
  const reason = textOf(choice?.['finish_reason']);
  if (!message || reason === undefined) throw badAnswer('has no finished choice', document);

  const calls = message['tool_calls'] ?? [];
  const toolCalls = listOf(calls)?.map((call) => readToolCall(call, upstream));
  if (!toolCalls) throw badAnswer('has tool calls that are no list', document);
  const content = message['content'] ?? '';
  if (typeof content !== 'string') throw badAnswer('has content that is no text', document);
  const refused = Boolean(textOf(message['refusal']));
  const usage = readChatUsage(document['usage'], upstream);
  const finish = finishReason(refused ? 'content_filter' : reason, toolCalls);
  const model = textOf(document['model']);
  return completeChat({ content, toolCalls, finishReason: finish, usage, model }, request, warnings, upstream);
}

function readToolCall(value: unknown, { badAnswer }: UpstreamClient): ToolCall {
  const call = fieldsOf(value);
  const target = fieldsOf(call?.['function']);
  const id = textOf(call?.['id']);
  const name = textOf(target?.['name']);
  if (!id || !name) throw badAnswer('has a tool call without id or name', value);
  return { id, name, arguments: readToolArguments(target?.['arguments']) };
}
