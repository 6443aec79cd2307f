import {
  type AssistantPart,
  type Message,
  partsOf,
  readToolArguments,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { type Field, MAX_MESSAGES, type Value } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import { ToolTurns, type ToolTurnWords } from '../request/tool-turns.ts';
import type { Warnings } from '../request/warnings.ts';
import { assistantParts, readContent, resultParts, systemParts, userParts } from './parse-content.ts';
import { type ReasoningMembers, readReasoning } from './reasoning-details.ts';

type MessageParam = OpenAI.ChatCompletionMessageParam | (ReasoningMembers & { annotations?: unknown });
type MessageField = Field<MessageParam>;
type Role = OpenAI.ChatCompletionMessageParam['role'];

interface Reading {
  readonly warnings: Warnings;
  readonly turns: ToolTurns;
}

/** One reader for each role: a new role from OpenAI does not compile until it is read here. */
const readers: Readonly<Record<Role, (message: MessageField, reading: Reading) => Message>> = {
  system: readSystem,
  // The same, under its name for reasoning models.
  developer: readSystem,
  user: (message, { warnings }) => ({
    role: 'user',
    content: readContent<UserPart>(message.member('content'), userParts, warnings),
  }),
  assistant: readAssistant,
  tool: (message, { warnings, turns }) => ({
    role: 'tool',
    toolCallId: turns.answered(message.member('tool_call_id').name(), message.member('tool_call_id')),
    content: readContent<ToolResultPart>(message.member('content'), resultParts, warnings),
  }),
  function: (message, { turns }) => ({
    role: 'tool',
    toolCallId: turns.answeredByName(message.member('name')),
    content: message.member('content').maybe((field) => field.text()) ?? '',
  }),
};

const words: ToolTurnWords = {
  unknown: () => 'is not the id of a tool call in the message before',
  missing: (ids) => `comes before the results of the tool calls ${ids}`,
};

const roles = Object.keys(readers) as Role[];

export function parseMessages(
  messages: Field<OpenAI.ChatCompletionMessageParam[]>,
  warnings: Warnings,
): readonly Message[] {
  const list = messages.list({ max: MAX_MESSAGES });
  const last = list.at(-1) ?? messages.fail('invalid_value', 'must not be an empty list');
  const reading = { warnings, turns: new ToolTurns(words) };
  const parsed = list.map((each) => {
    const message = each.as<MessageParam>();
    const role = message.member('role').oneOf(roles);
    if (role !== 'tool' && role !== 'function') reading.turns.close(message);
    // Of the members that no other API has, most clients send `name` only.
    return { ...readers[role](message, reading), ...warnings.keep(message.rest(), 'messages[]') };
  });
  reading.turns.close(last);
  return parsed;
}

function readSystem(message: MessageField, { warnings }: Reading): Message {
  return { role: 'system', content: readContent<TextPart>(message.member('content'), systemParts, warnings) };
}

function readAssistant(message: MessageField, reading: Reading): Message {
  const { warnings } = reading;
  const audio = message.member('audio');
  if (audio.isGiven) audio.fail('unsupported_parameter', 'names audio at a vendor, which other vendors cannot read');
  const { annotations } = message.object();
  // An empty list, as in responses, means nothing.
  if (Array.isArray(annotations) && annotations.length === 0) message.member('annotations');
  const content = message
    .member('content')
    .maybe((field) => readContent<AssistantPart>(field, assistantParts, warnings));
  const refusal = message.member('refusal').maybe((field) => field.text()) ?? '';
  const others: AssistantPart[] = [
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...readCalls(message, reading),
  ];
  const reasoning = readReasoning(message.as(), warnings);
  if (content === undefined && others.length === 0 && reasoning.length === 0) {
    message.member('content').fail('missing_required_parameter', 'is required where there are no tool calls');
  }
  if (typeof content === 'string' && others.length === 0 && reasoning.length === 0) {
    return { role: 'assistant', content };
  }
  return { role: 'assistant', content: [...reasoning, ...partsOf<AssistantPart>(content ?? ''), ...others] };
}

function readCalls(message: MessageField, { turns }: Reading): readonly ToolCallPart[] {
  const calls = message.member('tool_calls').maybe((field) => field.list()) ?? [];
  const old = message.member('function_call');
  const read = calls.map((call): ToolCallPart => {
    const type = call.member('type').maybe((field) => field.text());
    if (type !== undefined && type !== 'function') {
      call.member('type').fail('unsupported_value', 'must be "function": no other tools are offered here');
    }
    const part = readCall(call.member('function'), call.member('id').name());
    turns.called(part, call.member('id'));
    return part;
  });
  if (!old.isGiven) return read;
  if (read.length > 0) old.fail('invalid_value', 'must not stand beside tool_calls');
  // Calls from that time have no id, and are answered right away.
  const part = readCall(old, `call${message.pointer.replaceAll('/', '_')}`);
  turns.called(part, old);
  return [part];
}

function readCall(call: Field<OpenAI.ChatCompletionAssistantMessageParam.FunctionCall>, id: string): ToolCallPart {
  const name = functionName(call.member('name'));
  return { type: 'tool-call', id, name, arguments: readArguments(call.member('arguments')) };
}

/** The arguments of a call, which are the text of an object. */
export function readArguments(field: Value): ToolCallPart['arguments'] {
  const text = field.text();
  try {
    return readToolArguments(text);
  } catch {
    return field.fail('invalid_value', 'must be the JSON text of an object');
  }
}
