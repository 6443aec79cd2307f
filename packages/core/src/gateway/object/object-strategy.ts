import { jsonrepair } from 'jsonrepair';
import { readJson } from '../../base/read-json.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { Schema } from '../../contracts/json-schema.ts';
import type { ChatResult, Message, ModelInfo } from '../../contracts/provider.ts';
import type { Conversation } from '../ask-model.ts';

/** The object that a model gave back, or one sentence on why there is none. */
export type ReadObject =
  | { readonly object: JsonObject; readonly repaired: boolean }
  | { readonly object?: undefined; readonly fault: string };

/** One way of having a model answer with an object. */
export interface ObjectStrategy {
  readonly name: 'schema' | 'tool' | 'prompt';
  /** Where the object is while it is written: in what the model says, or in what it calls the tool with. */
  readonly written: 'text' | 'tool-arguments';
  /** The request that asks for it. */
  request(conversation: Conversation): Conversation;
  read(result: ChatResult): Promise<ReadObject>;
  /** The messages that show the model its own answer and what is wrong with it. */
  correct(result: ChatResult, faults: string): readonly Message[];
}

/** The firmest way that a model can do: a schema that it keeps to, else a tool that it has to call, else plain words. */
export function objectStrategy({ capabilities }: ModelInfo, name: string, output: Schema): ObjectStrategy {
  if (capabilities.includes('structured-output')) return schemaStrategy(output);
  return capabilities.includes('tools') ? toolStrategy(name, output) : promptStrategy(output);
}

function schemaStrategy(output: Schema): ObjectStrategy {
  return {
    name: 'schema',
    written: 'text',
    request: (conversation) => ({ ...conversation, responseSchema: output }),
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
      const [call] = result.toolCalls;
      return call ? { object: call.arguments, repaired: false } : await readText(result);
    },
    correct(result, faults) {
      const [call] = result.toolCalls;
      if (!call) return correctText(result, faults);
      return [
        { role: 'assistant', content: result.content, toolCalls: [call] },
        { role: 'tool', toolCallId: call.id, content: complaint(faults) },
      ];
    },
  };
}

async function readText({ content }: ChatResult): Promise<ReadObject> {
  const found = await extractJson(content);
  if (!found) return { fault: 'there is no JSON object in the answer' };
  const { value, repaired } = found;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'the answer is not a JSON object' };
  }
  return { object: value as JsonObject, repaired };
}

function correctText({ content }: ChatResult, faults: string): readonly Message[] {
  const said: readonly Message[] = content ? [{ role: 'assistant', content }] : [];
  return [...said, { role: 'user', content: complaint(faults) }];
}

const complaint = (faults: string): string =>
  `This answer cannot be used: ${faults}. Give the whole answer again, correctly.`;

/** The JSON value in what a model wrote, and whether it had to be mended; or undefined where there is none. */
export type ExtractedJson = { readonly value: unknown; readonly repaired: boolean };

/** Characters that are repaired: it takes a hundred times as long as to parse them. */
const MOST_REPAIRED = 65_536;

/**
 * Find the JSON object in a model's text. Models put it between fences or into prose, leave commas at the end, and quote
 * with the wrong signs: all of that is mended. An object that is cut is not: half an answer is none.
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

/** From the first opening bracket to the one that closes it, brackets within strings aside. */
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
