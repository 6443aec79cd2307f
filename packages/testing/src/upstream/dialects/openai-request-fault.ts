import { type JsonFields, listOf } from '@patchbay/core/provider';
import type { UpstreamRequest } from '../upstream-request.ts';
import { member, objectsIn } from './dialect.ts';

/** The parts that a message may have, by its role. */
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};

const MOST_STOPS = 4;
const MOST_INPUTS = 2_048;

/** Why OpenAI would reject the body of a chat or embeddings request, in its own words. */
export function openaiRequestFault(request: UpstreamRequest): string | undefined {
  const input = member(request, 'input');
  const inputs = listOf(input) ?? [input];
  if (inputs.length > MOST_INPUTS) {
    return `Invalid 'input': array too long. Expected an array with maximum length ${MOST_INPUTS}.`;
  }
  if (inputs.includes('')) return "'input' cannot be an empty string.";
  return optionFault(request) ?? messagesFault(objectsIn(member(request, 'messages')));
}

function optionFault(request: UpstreamRequest): string | undefined {
  if ((listOf(member(request, 'stop')) ?? []).length > MOST_STOPS) {
    return `Invalid 'stop': array too long. Expected an array with maximum length ${MOST_STOPS}.`;
  }
  const seed = member(request, 'seed');
  if (seed !== undefined && seed !== null && !Number.isInteger(seed)) {
    return "Invalid type for 'seed': expected an integer.";
  }
  if (member(request, 'tools') !== undefined) return undefined;
  const needless = ['tool_choice', 'parallel_tool_calls'].find((name) => member(request, name) !== undefined);
  return needless && `Invalid value for '${needless}': '${needless}' is only allowed when 'tools' are specified.`;
}

function messagesFault(messages: readonly JsonFields[]): string | undefined {
  let open: readonly unknown[] = [];
  const end: JsonFields = {};
  for (const [index, message] of [...messages, end].entries()) {
    const { role, content, tool_calls: calls, tool_call_id: answered } = message;
    if (role === 'tool') {
      if (!open.includes(answered)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      }
      open = open.filter((id) => id !== answered);
    } else if (open.length > 0) {
      const ids = open.join(', ');
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
    }
    if (calls !== undefined) open = objectsIn(calls).map(({ id }) => id);
    const known = partTypes[String(role)] ?? [];
    const unknown = objectsIn(content).find(({ type }) => !known.includes(String(type)));
    if (unknown) return `Invalid value: '${String(unknown['type'])}' at messages[${index}].content.`;
  }
  return undefined;
}
