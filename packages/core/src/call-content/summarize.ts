import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import type { ContentSummary, GivenContent } from './stored-content.ts';

const roles: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool'];

const MOST_NAMES = 50;
const LONGEST_NAME = 128;

/** Sizes, counts and names of a content, whatever the API of its request. */
export function summarize({ request, response, repairs = [] }: GivenContent): ContentSummary {
  const asked = fieldsOf(request) ?? {};
  const answered = fieldsOf(response) ?? {};
  const messages = listOf(asked['messages'] ?? asked['input']);
  const counts: Record<string, number> = {};
  for (const message of messages) {
    const role = fieldsOf(message)?.['role'];
    const known = typeof role === 'string' && roles.includes(role) ? role : 'other';
    counts[known] = (counts[known] ?? 0) + 1;
  }
  return {
    requestBytes: jsonBytes(request),
    responseBytes: response === undefined ? null : jsonBytes(response),
    messages: messages.length,
    roles: counts,
    tools: namesOf(listOf(asked['tools'] ?? asked['functions'])),
    toolCalls: namesOf(callsOf(answered)),
    finishReason: finishReasonOf(answered),
    repairs: repairs.map(({ model, output, errors }) => ({ model, bytes: jsonBytes(output), errors })),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The tool calls in a response of the gateway, or of a vendor. */
function callsOf({ message, functionCall, choices, content, output }: Fields): readonly unknown[] {
  const spoken = fieldsOf(message);
  const chosen = listOf(choices).map((choice) => fieldsOf(fieldsOf(choice)?.['message']));
  const parts = [...listOf(spoken?.['parts']), ...listOf(content), ...listOf(output)];
  return [
    ...(functionCall === undefined ? [] : [functionCall]),
    ...[spoken, ...chosen].flatMap((each) => listOf(each?.['tool_calls'])),
    ...parts.filter((part) => /^(?:tool-call|tool_use|function_call)$/.test(String(fieldsOf(part)?.['type']))),
  ];
}

function namesOf(values: readonly unknown[]): readonly string[] {
  return values.slice(0, MOST_NAMES).flatMap((value) => {
    const fields = fieldsOf(value);
    const name = typeof value === 'string' ? value : (fields?.['name'] ?? fieldsOf(fields?.['function'])?.['name']);
    return typeof name === 'string' ? [name.slice(0, LONGEST_NAME)] : [];
  });
}

function finishReasonOf({ finishReason, choices, stop_reason, status }: Fields): string | null {
  const chosen = fieldsOf(listOf(choices)[0])?.['finish_reason'];
  const found = [finishReason, chosen, stop_reason, status].find((each) => typeof each === 'string');
  return found === undefined ? null : String(found).slice(0, LONGEST_NAME);
}

/** Approximate bytes of a value as JSON, computed without creating the text. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + jsonBytes(each) + 1, 2);
  if (typeof value !== 'object' || value === null) return String(value).length;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && typeof member !== 'function') bytes += name.length + 4 + jsonBytes(member);
  }
  return bytes;
}
