import { type FinishReason, fieldsOf, type JsonFields, listOf, readUsage, textOf } from '@patchbay/core/provider';
import { reasoningDigest } from '../forward/digest.ts';
import { badResponse, doneEvent, noOutcome, type ResponseNotes, textBytes } from '../forward/response-reader.ts';
import { TopLevel } from '../top-level.ts';
import { priceFactor } from './service-tier.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

/** Members of a message that are not output of the model. */
const labels: ReadonlySet<string> = new Set(['role', 'annotations', 'name']);

const delta = '/choices/0/delta';
const joins = {
  growing: new Set([`${delta}/content`, `${delta}/reasoning_content`, `${delta}/reasoning`]),
  beside: labels,
  replaced: new Set(['/created', '/obfuscation']),
} satisfies ResponseNotes['joins'];

/**
 * The facts of a chat completion, whole or in chunks.
 *
 * @param hidesUsage The caller did not ask for usage in the stream; the gateway did.
 */
export function chatNotes(hidesUsage: boolean): ResponseNotes {
  const found = noOutcome();
  const reasoning = new Map<number, { text: string; details: string }>();
  let hasOutput = false;
  let finished = false;
  let isOver = false;

  const readMessage = (index: number, message: JsonFields): void => {
    // Runs for every chunk of every stream: no copies.
    for (const name in message) {
      if (labels.has(name) || isEmpty(message[name])) continue;
      hasOutput = true;
      found.outputBytes += textBytes(message[name]);
    }
    const audio = textOf(fieldsOf(message['audio'])?.['id']);
    if (audio !== undefined) found.ownIds = [...found.ownIds, audio];
    const thought = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
    const details = detailText(message['reasoning_details']);
    if (thought === '' && details === '') return;
    const before = reasoning.get(index) ?? { text: '', details: '' };
    reasoning.set(index, { text: before.text + thought, details: before.details + details });
  };

  return {
    get found() {
      const texts = [...reasoning.values()]
        .flatMap(({ text, details }) => [text, details])
        .filter((text) => text !== '');
      return { ...found, ownIds: [...found.ownIds, ...texts.map(reasoningDigest)] };
    },
    get hasOutput() {
      return hasOutput;
    },
    get isComplete() {
      return finished;
    },
    get missingEnd() {
      return finished && !isOver ? doneEvent : undefined;
    },
    read(document) {
      found.model ??= textOf(document['model']);
      const tier = textOf(document['service_tier']);
      if (tier !== undefined) found.priceFactor = priceFactor(tier);
      found.usage = usageOf(document['usage']) ?? found.usage;
      for (const [place, value] of (listOf(document['choices']) ?? []).entries()) {
        const choice = fieldsOf(value) ?? {};
        const index = typeof choice['index'] === 'number' ? choice['index'] : place;
        readMessage(index, fieldsOf(choice['delta']) ?? fieldsOf(choice['message']) ?? {});
        const reason = textOf(choice['finish_reason']);
        if (reason === undefined) continue;
        found.finishReason = finishReasons[reason] ?? 'stop';
        finished = true;
        hasOutput = true;
      }
    },
    // Servers that give no reason mark only the end.
    over() {
      finished = true;
      isOver = true;
    },
    joins,
    ...(hidesUsage && { shown: withoutUsage }),
  };
}

/** The counts of a chat completion, of OpenAI and of every server that is compatible with it. */
export function usageOf(value: unknown) {
  const usage = fieldsOf(value);
  if (!usage) return undefined;
  const prompt = fieldsOf(usage['prompt_tokens_details']);
  const counts = {
    input: usage['prompt_tokens'],
    output: usage['completion_tokens'],
    cacheRead: prompt?.['cached_tokens'],
    cacheWrite: prompt?.['cache_write_tokens'],
    reasoning: fieldsOf(usage['completion_tokens_details'])?.['reasoning_tokens'],
    total: usage['total_tokens'],
  };
  return readUsage(counts, { badAnswer: badResponse });
}

/** The text of reasoning in the form of OpenRouter, which clients send back whole. */
export function detailText(value: unknown): string {
  if (value === undefined) return '';
  const details = (listOf(value) ?? []).map((detail) => fieldsOf(detail) ?? {});
  return details.map(({ text, summary, data }) => textOf(text ?? summary ?? data) ?? '').join('');
}

/** With usage, chunks have `usage: null`, and one with nothing else follows the last. */
function withoutUsage(events: string, document: JsonFields, count: number): string {
  const { usage } = document;
  if (usage === undefined) return events;
  // Azure sends chunks without choices for the results of its filter.
  if (usage !== null) return listOf(document['choices'])?.length === 0 ? '' : events;
  // Within a string, its quotes would be escaped. If it occurs unescaped, it is the member of the chunk.
  const rest = events.replace(noUsage, '');
  const removed = (events.length - rest.length) / ',"usage":null'.length;
  // Events that are read together have the same members.
  const first = count === 1 ? rest : rest.slice(0, rest.indexOf(endOfEvent));
  if (removed === count && !first.includes('"usage"')) return rest;
  return count === 1 ? withoutMember(events) : events.split(endOfEvent).map(withoutMember).join(endOfEvent);
}

function withoutMember(event: string): string {
  const start = event.indexOf('{');
  const end = event.lastIndexOf('}') + 1;
  if (start === -1) return event;
  const data = new TopLevel(Buffer.from(event.slice(start, end))).with({ usage: undefined });
  return event.slice(0, start) + Buffer.from(data).toString() + event.slice(end);
}

const endOfEvent = '\n\n';
const noUsage = /,"usage":null/g;

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
