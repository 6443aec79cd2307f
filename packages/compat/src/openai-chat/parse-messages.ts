import {
  type AssistantPart,
  type Message,
  readToolArguments,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type UserPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { Field } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';
import { keep, othersOf } from './kept-members.ts';
import { assistantParts, readContent, resultParts, systemParts, userParts } from './parse-content.ts';
import { functionName } from './parse-tools.ts';
import { readReasoning, reasoningMembers } from './reasoning-details.ts';
import { ToolTurns } from './tool-turns.ts';

type Role = OpenAI.ChatCompletionMessageParam['role'];

interface Reading {
  readonly warnings: Warnings;
  readonly turns: ToolTurns;
}

/** One reader for each role: one that OpenAI adds does not compile until it is read here. */
const readers: Readonly<Record<Role, (message: Field, reading: Reading) => Message>> = {
  system: readSystem,
  // The same, under the name that it has for models that reason.
  developer: readSystem,
  user: (message, { warnings }) => ({
    role: 'user',
    content: readContent<UserPart>(message.member('content'), userParts, warnings),
    ...rest(message, [], warnings),
  }),
  assistant: readAssistant,
  tool: (message, { warnings, turns }) => ({
    role: 'tool',
    toolCallId: turns.answered(message.member('tool_call_id')),
    content: readContent<ToolResultPart>(message.member('content'), resultParts, warnings),
    ...rest(message, ['tool_call_id'], warnings),
  }),
  function: (message, { warnings, turns }) => ({
    role: 'tool',
    toolCallId: turns.answeredByName(message.member('name')),
    content: message.member('content').maybe((field) => field.text()) ?? '',
    ...rest(message, ['name'], warnings),
  }),
};

const roles = Object.keys(readers) as Role[];

export function parseMessages(messages: Field, warnings: Warnings): readonly Message[] {
  const list = messages.list();
  const last = list.at(-1) ?? messages.fail('invalid_value', 'must not be an empty list');
  const reading = { warnings, turns: new ToolTurns() };
  const parsed = list.map((message) => {
    const role = message.member('role').oneOf(roles);
    if (role !== 'tool' && role !== 'function') reading.turns.close(message);
    return readers[role](message, reading);
  });
  reading.turns.close(last, true);
  return parsed;
}

function readSystem(message: Field, { warnings }: Reading): Message {
  const content = readContent<TextPart>(message.member('content'), systemParts, warnings);
  return { role: 'system', content, ...rest(message, [], warnings) };
}

const assistantMembers = ['refusal', 'tool_calls', 'function_call', 'audio', 'annotations', ...reasoningMembers];

function readAssistant(message: Field, reading: Reading): Message {
  const { warnings } = reading;
  const audio = message.member('audio');
  if (audio.isGiven) audio.fail('unsupported_parameter', 'names audio at a vendor, which other vendors cannot read');
  const content = message
    .member('content')
    .maybe((field) => readContent<AssistantPart>(field, assistantParts, warnings));
  const refusal = message.member('refusal').maybe((field) => field.text()) ?? '';
  const others: AssistantPart[] = [
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...readCalls(message, reading),
  ];
  const reasoning = readReasoning(message, warnings);
  if (content === undefined && others.length === 0 && reasoning.length === 0) {
    message.member('content').fail('missing_required_parameter', 'is required where there are no tool calls');
  }
  const end = { ...rest(message, assistantMembers, warnings) };
  if (typeof content === 'string' && others.length === 0 && reasoning.length === 0) {
    return { role: 'assistant', content, ...end };
  }
  return { role: 'assistant', content: [...reasoning, ...partsOfText(content), ...others], ...end };
}

function partsOfText(content: string | readonly AssistantPart[] | undefined): readonly AssistantPart[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

function readCalls(message: Field, { turns }: Reading): readonly ToolCallPart[] {
  const calls = message.member('tool_calls').maybe((field) => field.list()) ?? [];
  const old = message.member('function_call');
  const read = calls.map((call): ToolCallPart => {
    const type = call.member('type').maybe((field) => field.text());
    if (type !== undefined && type !== 'function') {
      call.member('type').fail('unsupported_value', 'must be "function": no other tools are offered here');
    }
    const part = readCall(call.member('function'), call.member('id').name());
    turns.called(call.member('id'), part.name);
    return part;
  });
  if (!old.isGiven) return read;
  if (read.length > 0) old.fail('invalid_value', 'must not stand beside tool_calls');
  // Calls of that time have no id, and are answered right away.
  const part = readCall(old, `call${message.pointer.replaceAll('/', '_')}`);
  turns.calledAs(part.id, part.name, old);
  return [part];
}

function readCall(call: Field, id: string): ToolCallPart {
  const name = functionName(call.member('name'));
  const text = call.member('arguments');
  return { type: 'tool-call', id, name, arguments: readArguments(text) };
}

function readArguments(field: Field): ToolCallPart['arguments'] {
  const text = field.text();
  try {
    return readToolArguments(text);
  } catch {
    return field.fail('invalid_value', 'must be the JSON text of an object');
  }
}

/** What no other API has: mostly `name`. An empty list of annotations, as responses have it, says nothing. */
function rest(message: Field, read: readonly string[], warnings: Warnings) {
  const isMeant = ([name, { value }]: readonly [string, Field]): boolean =>
    !(name === 'annotations' && Array.isArray(value) && value.length === 0);
  const others = othersOf(message, ['role', 'content', ...read.filter((name) => name !== 'annotations')]);
  return keep(others.filter(isMeant), 'messages[]', warnings);
}
