import type { JsonObject } from '@patchbay/core/plugin';
import type { AssistantPart, FilePart, ImagePart, Message, ReasoningPart, TextPart } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { readProof } from '../anthropic-messages/reasoning-proof.ts';
import { readArguments } from '../openai-chat/parse-messages.ts';
import { Field, MAX_MESSAGES } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import { mediaSource } from '../request/media.ts';
import { ToolTurns } from '../request/tool-turns.ts';
import type { Warnings } from '../request/warnings.ts';
import { isReference } from './named-items.ts';
import { nameWithin } from './namespaces.ts';

/** Items that this server returned before, by their ids. */
export type KnownItems = ReadonlyMap<string, JsonObject>;

type InputItem = OpenAI.Responses.ResponseInputItem;
type InputContent = OpenAI.Responses.ResponseInputContent;
type InputPart = TextPart | ImagePart | FilePart;
type OutputContent = OpenAI.Responses.ResponseOutputText & OpenAI.Responses.ResponseOutputRefusal;

/** The members of every item that is read here, whatever its type. */
interface ItemMembers {
  readonly id?: string | null;
  readonly type?: string;
  readonly role?: string;
  readonly status?: string | null;
  readonly content?: string | readonly unknown[];
  readonly call_id?: string;
  readonly name?: string;
  readonly namespace?: string | null;
  readonly arguments?: string;
  readonly output?: string | readonly InputContent[];
  readonly summary?: readonly { readonly type?: string; readonly text: string }[];
  readonly encrypted_content?: string | null;
}

type Item = Field<ItemMembers>;

/** As OpenAI words it: clients look for these words. */
const words = {
  unknown: (id: string) => `has no call: No tool call found for function call output with call_id ${id}.`,
  missing: (ids: string) => `leaves calls open: No tool output found for function call ${ids}.`,
};

/**
 * The messages of an input. Consecutive assistant items are one message: its reasoning, texts and
 * calls. Each call is followed by its output, as all vendors require.
 */
export function parseItems(
  input: Field<string | InputItem[]>,
  known: KnownItems,
  warnings: Warnings,
): readonly Message[] {
  const items = input.as<string | ItemMembers[]>().textOrList({ max: MAX_MESSAGES });
  if (typeof items === 'string') return [{ role: 'user', content: items }];
  const last = items.at(-1) ?? input.fail('invalid_value', 'must not be an empty list');
  const messages: Message[] = [];
  const turns = new ToolTurns(words);
  let said: AssistantPart[] = [];
  const close = (): void => {
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    said = [];
  };
  const say = (item: Item, parts: readonly AssistantPart[]): void => {
    if (said.length === 0) turns.close(item);
    said.push(...parts);
  };
  const readers: Readonly<Record<string, (item: Item) => void>> = {
    message(item) {
      const role = item.member('role').oneOf(['user', 'assistant', 'system', 'developer']);
      if (role === 'assistant') {
        say(item, spokenParts(item, warnings));
        return;
      }
      turns.close(item);
      close();
      const content = inputContent(item.member('content').as(), warnings);
      messages.push(role === 'user' ? { role, content } : { role: 'system', content: textsOnly(item, content) });
    },
    function_call(item) {
      const name = functionName(item.member('name'));
      const namespace = item.member('namespace').maybe((field) => field.name());
      const call = {
        type: 'tool-call' as const,
        id: item.member('call_id').name(),
        name: namespace === undefined ? name : nameWithin(namespace, name),
        arguments: readArguments(item.member('arguments')),
      };
      say(item, [call]);
      turns.called(call, item.member('call_id'));
    },
    function_call_output(item) {
      close();
      const toolCallId = turns.answered(item.member('call_id').name(), item.member('call_id'));
      messages.push({ role: 'tool', toolCallId, content: inputContent(item.member('output').as(), warnings) });
    },
    reasoning: (item) => say(item, [readReasoning(item, warnings)]),
  };
  const named = new Set<string>();
  for (const each of items) {
    const item = resolved(each, known, named);
    const type = item.member('type').maybe((field) => field.text()) ?? 'message';
    const read = readers[type];
    if (!read) {
      item.member('type').fail('unsupported_value', `must be one of ${Object.keys(readers).join(', ')} for this model`);
    }
    // The id and the status of an item, which only the API that stores them uses.
    item.member('id');
    item.member('status');
    read?.(item);
    warnings.keep(item.rest(), 'input[]');
  }
  turns.close(last);
  close();
  return messages;
}

/**
 * An item that was returned here stands for what it names. So does reasoning without its proof: only its id shows whose it
 * is. Each can be named once: a small request could otherwise grow to any size.
 */
function resolved(item: Item, known: KnownItems, named: Set<string>): Item {
  const type = item.member('type').value;
  const isUnproven = type === 'reasoning' && !item.member('encrypted_content').isGiven;
  if (!isUnproven && !isReference(item.object())) return item;
  const id = item.member('id');
  const found = known.get(String(id.value));
  if (!found) {
    if (isUnproven) return item;
    id.name();
    return id.fail('invalid_value', 'is not the id of an item of the last hour; send the item itself');
  }
  if (named.has(id.name())) id.fail('invalid_value', 'was named before');
  named.add(id.name());
  return new Field<ItemMembers>(found, item.pointer);
}

function inputContent(content: Field<string | readonly InputContent[]>, warnings: Warnings): string | InputPart[] {
  const parts = content.textOrList();
  if (typeof parts === 'string') return parts;
  return parts.map((part) => {
    const read = readInput(part.as());
    return { ...read, ...warnings.keep(part.rest(), 'content[]') };
  });
}

interface InputMembers {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: string | null;
  readonly detail?: string;
  readonly file_id?: string | null;
  readonly file_data?: string;
  readonly file_url?: string;
  readonly filename?: string;
}

function readInput(part: Field<InputMembers>): InputPart {
  const type = part.member('type').oneOf(['input_text', 'output_text', 'input_image', 'input_file']);
  if (type === 'input_text' || type === 'output_text') return { type: 'text', text: part.member('text').text() };
  const id = part.member('file_id');
  if (id.isGiven) id.fail('unsupported_parameter', 'names a file at a vendor; send the file itself');
  if (type === 'input_image') {
    // The default means nothing; any other value is for models with this API.
    if (part.object()['detail'] === 'auto') part.member('detail');
    return { type: 'image', ...mediaSource(part.member('image_url')) };
  }
  const name = part.member('filename').maybe((field) => field.name());
  const data = part.member('file_data');
  const source = mediaSource(data.isGiven ? data : part.member('file_url'));
  return { type: 'file', ...source, ...(name !== undefined && { name }) };
}

function textsOnly(item: Item, content: string | readonly InputPart[]): string | readonly TextPart[] {
  if (typeof content === 'string') return content;
  return content.map((part) =>
    part.type === 'text' ? part : item.member('content').fail('invalid_value', 'must have texts only for this role'),
  );
}

function spokenParts(item: Item, warnings: Warnings): readonly AssistantPart[] {
  const parts = item.member('content').as<string | readonly OutputContent[]>().textOrList();
  if (typeof parts === 'string') return [{ type: 'text', text: parts }];
  return parts.map((part): AssistantPart => {
    const type = part.member('type').as().oneOf(['output_text', 'input_text', 'refusal']);
    if (type === 'refusal') return { type, text: part.member('refusal').text() };
    const text = part.member('text').text();
    // Empty lists, as in responses, mean nothing.
    for (const name of ['annotations', 'logprobs'] as const) {
      const { value } = new Field<OutputContent>(part.value).member(name);
      if (Array.isArray(value) && value.length === 0) part.member(name);
    }
    return { type: 'text', text, ...warnings.keep(part.rest(), 'content[]') };
  });
}

/** The proof of an item that was written here shows which model it is from. No other vendor may see it. */
function readReasoning(item: Item, warnings: Warnings): ReasoningPart {
  const summary = item.member('summary').maybe((field) => field.list().map((part) => readText(part))) ?? [];
  const content = item.member('content').maybe((field) =>
    field
      .as<readonly { readonly type?: string; readonly text: string }[]>()
      .list()
      .map((part) => readText(part)),
  );
  const proof = item.member('encrypted_content').maybe((field) => readProof(field.text()));
  if (proof?.by === undefined) warnings.add('reasoning that does not say which model it is from is sent to no model');
  return { type: 'reasoning', text: (content ?? summary).join('\n\n'), ...proof };
}

function readText(part: Field<{ readonly type?: string; readonly text: string }>): string {
  part.member('type');
  return part.member('text').text();
}
