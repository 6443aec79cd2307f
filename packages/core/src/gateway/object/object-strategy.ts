import { readJson } from '@patchbay/contracts/base/json-text';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { Message } from '@patchbay/contracts/message';
import type { ChatResult, ModelInfo } from '@patchbay/contracts/provider';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import { contentText, toolCallsOf, withOneCall } from '@patchbay/outbound/provider-kit/message-content';
import { jsonrepair } from 'jsonrepair';
import type { Conversation } from '../ask-model.ts';

/** The object of a completion, or one sentence on why there is none. */
export type ReadObject =
  | { readonly object: JsonObject; readonly repaired: boolean }
  | { readonly object?: undefined; readonly fault: string };

/** A technique of requesting an object. */
export interface ObjectStrategy {
  readonly name: 'schema' | 'tool' | 'prompt';
  /** Location of the partial object: in the text, or in the arguments of the tool call. */
  readonly written: 'text' | 'tool-arguments';
  /** The request with this technique. */
  request(conversation: Conversation): Conversation;
  read(result: ChatResult): Promise<ReadObject>;
  /** The messages that return a completion to the model with its errors. */
  correct(result: ChatResult, faults: string): readonly Message[];
}

/** The strictest technique that a model supports: an enforced schema, else a forced tool call, else instructions. */
export function objectStrategy({ capabilities }: ModelInfo, name: string, output: Schema): ObjectStrategy {
  if (capabilities.includes('structured-output')) return schemaStrategy(output);
  return capabilities.includes('tools') ? toolStrategy(name, output) : promptStrategy(output);
}

function schemaStrategy(output: Schema): ObjectStrategy {
  return {
    name: 'schema',
    written: 'text',
    request: (conversation) => ({ ...conversation, responseSchema: resolvedSchema(output) }),
    read: readText,
    correct: correctText,
  };
}

function promptStrategy(output: Schema): ObjectStrategy {
  const content =
    'Answer with one JSON object and nothing else: no explanation and no fence. ' +
    `It has to fit this JSON Schema:\n${JSON.stringify(output)}`;
  return {
    name: 'prompt',
    written: 'text',
    request: (conversation) => ({
      ...conversation,
      messages: [{ role: 'system', content }, ...conversation.messages],
    }),
    read: readText,
    correct: correctText,
  };
}

function toolStrategy(name: string, output: Schema): ObjectStrategy {
  return {
    name: 'tool',
    written: 'tool-arguments',
    request: (conversation) => ({
      ...conversation,
      tools: [{ name, description: 'Hands over the answer.', parameters: output }],
      toolChoice: { name },
    }),
    async read(result) {
      const [call] = toolCallsOf(result.content);
      return call ? { object: call.arguments, repaired: false } : await readText(result);
    },
    correct(result, faults) {
      const [call] = toolCallsOf(result.content);
      if (!call) return correctText(result, faults);
      return [
        { role: 'assistant', content: withOneCall(result.content, call) },
        { role: 'tool', toolCallId: call.id, content: complaint(faults) },
      ];
    },
  };
}

async function readText({ content }: ChatResult): Promise<ReadObject> {
  const found = await extractJson(contentText(content));
  if (!found) return { fault: 'there is no JSON object in the answer' };
  const { value, repaired } = found;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'the answer is not a JSON object' };
  }
  return { object: value as JsonObject, repaired };
}

function correctText({ content }: ChatResult, faults: string): readonly Message[] {
  const said: readonly Message[] = content.length > 0 ? [{ role: 'assistant', content }] : [];
  return [...said, { role: 'user', content: complaint(faults) }];
}

const complaint = (faults: string): string =>
  `This answer cannot be used: ${faults}. Give the whole answer again, correctly.`;

/** The JSON value in a completion, and whether it was repaired; undefined if there is none. */
export type ExtractedJson = { readonly value: unknown; readonly repaired: boolean };

/** Maximum characters to repair, which takes a hundred times as long as parsing. */
const MOST_REPAIRED = 65_536;

/**
 * Find the JSON object in a completion. Models wrap it in code fences or prose, leave trailing commas, and use
 * wrong quotes: all of this is repaired. A truncated object is not.
 */
export async function extractJson(text: string): Promise<ExtractedJson | undefined> {
  const trimmed = text.trim();
  const whole = await parse(trimmed);
  if (whole !== undefined) return { value: whole, repaired: false };
  const found = firstObject(trimmed);
  if (found === undefined) return undefined;
  const exact = await parse(found);
  if (exact !== undefined) return { value: exact, repaired: true };
  if (found.length > MOST_REPAIRED) return undefined;
  try {
    const value = await parse(jsonrepair(found));
    return value === undefined ? undefined : { value, repaired: true };
  } catch {
    return undefined;
  }
}

async function parse(text: string): Promise<unknown> {
  try {
    return (await readJson(text)).value;
  } catch {
    return undefined;
  }
}

/** From the first opening bracket to its closing one, ignoring brackets within strings. */
function firstObject(text: string): string | undefined {
  const start = text.indexOf('{');
  if (start === -1) return undefined;
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}
