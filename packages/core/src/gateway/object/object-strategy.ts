import type { JsonObject } from '../../contracts/json.ts';
import type { Schema } from '../../contracts/json-schema.ts';
import type { ChatRequest, ChatResult, Message, ModelInfo } from '../../contracts/provider.ts';
import { extractJson } from './extract-json.ts';

type Conversation = Omit<ChatRequest, 'model'>;

/** What a model gave back: an object, or one sentence on why there is none. */
export type ReadObject =
  | { readonly object: JsonObject; readonly repaired: boolean }
  | { readonly object?: undefined; readonly fault: string };

/** One way of having a model answer with an object. */
export interface ObjectStrategy {
  readonly name: 'schema' | 'tool' | 'prompt';
  /** Where the object is while it is written: in what the model says, or in what it calls the tool with. */
  readonly written: 'text' | 'arguments';
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
    written: 'arguments',
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
