import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dialect } from '@patchbay/contracts/forward';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';

type Fields = Readonly<Record<string, unknown>>;

/** Assembles a response from the events in which it was streamed. */
interface Assembler {
  take(event: Fields): void;
  readonly response: object;
}

/** Events that are read in one turn of the event loop. */
const AT_ONCE = 500;

/** A streamed response as it would have been without a stream: its text and its calls. */
export async function assembleEvents(dialect: Dialect, text: string): Promise<object> {
  const assembler = assemblerOf(dialect);
  let count = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (!line.startsWith('data:')) continue;
    const event = parsed(line.slice(5));
    if (event) assembler.take(event);
    count += 1;
    if (count % AT_ONCE === 0) await nextTurn();
  }
  return assembler.response;
}

function parsed(data: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    // The end of an OpenAI stream is not JSON.
    return undefined;
  }
}

function assemblerOf(dialect: Dialect): Assembler {
  if (dialect === 'openai-chat') return new ChoiceAssembler();
  if (dialect === 'anthropic-messages') return new BlockAssembler();
  return new LastResponse();
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

interface GrowingChoice {
  content: string;
  refusal: string;
  finishReason: unknown;
  readonly calls: Map<unknown, { id: unknown; name: string; arguments: string }>;
}

/** Chat completions of OpenAI. */
class ChoiceAssembler implements Assembler {
  readonly #choices = new Map<unknown, GrowingChoice>();

  take({ choices }: Fields): void {
    for (const each of listOf(choices)) {
      const { index, delta, finish_reason } = fieldsOf(each) ?? {};
      const choice = this.#choices.get(index) ?? { content: '', refusal: '', finishReason: null, calls: new Map() };
      this.#choices.set(index, choice);
      const { content, refusal, tool_calls } = fieldsOf(delta) ?? {};
      choice.content += textIn(content);
      choice.refusal += textIn(refusal);
      choice.finishReason = finish_reason ?? choice.finishReason;
      for (const call of listOf(tool_calls)) addCall(choice, fieldsOf(call) ?? {});
    }
  }

  get response(): object {
    const choices = [...this.#choices].map(([index, { content, refusal, finishReason, calls }]) => {
      const made = [...calls.values()].map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      }));
      const said = {
        content: content || null,
        ...(refusal && { refusal }),
        ...(made.length > 0 && { tool_calls: made }),
      };
      return { index, message: { role: 'assistant', ...said }, finish_reason: finishReason };
    });
    return { choices };
  }
}

function addCall({ calls }: GrowingChoice, { index, id, function: named }: Fields): void {
  const call = calls.get(index) ?? { id: null, name: '', arguments: '' };
  calls.set(index, call);
  const { name, arguments: text } = fieldsOf(named) ?? {};
  call.id = id ?? call.id;
  call.name += textIn(name);
  call.arguments += textIn(text);
}

/** Messages of Anthropic. */
class BlockAssembler implements Assembler {
  readonly #blocks = new Map<unknown, Record<string, unknown>>();
  /** JSON of the tool inputs. */
  readonly #inputs = new Map<unknown, string>();
  #stopReason: unknown = null;

  take({ type, index, content_block, delta }: Fields): void {
    if (type === 'content_block_start') this.#blocks.set(index, { ...fieldsOf(content_block) });
    const { text, thinking, partial_json, stop_reason } = fieldsOf(delta) ?? {};
    if (type === 'message_delta') this.#stopReason = stop_reason ?? this.#stopReason;
    const block = this.#blocks.get(index);
    if (type !== 'content_block_delta' || !block) return;
    if (typeof text === 'string') block['text'] = textIn(block['text']) + text;
    if (typeof thinking === 'string') block['thinking'] = textIn(block['thinking']) + thinking;
    if (typeof partial_json === 'string') this.#inputs.set(index, (this.#inputs.get(index) ?? '') + partial_json);
  }

  get response(): object {
    const content = [...this.#blocks].map(([index, block]) => {
      const input = this.#inputs.get(index);
      return input === undefined ? block : { ...block, input: parsed(input) ?? input };
    });
    return { role: 'assistant', content, stop_reason: this.#stopReason };
  }
}

/** Responses of OpenAI, whose last event contains the complete response. */
class LastResponse implements Assembler {
  #response: object = {};

  take({ response }: Fields): void {
    this.#response = fieldsOf(response) ?? this.#response;
  }

  get response(): object {
    return this.#response;
  }
}
