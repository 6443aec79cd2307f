import type { PatchbayError } from '@patchbay/core';
import { fieldsOf, type JsonFields, listOf, readUsage, textOf } from '@patchbay/core/provider';
import { reasoningDigest } from '../forward/digest.ts';
import {
  badResponse,
  doneEvent,
  failureOf,
  noOutcome,
  type ResponseNotes,
  textBytes,
} from '../forward/response-reader.ts';
import { storedIdsIn } from '../forward/stored-names.ts';
import { priceFactor } from '../openai-chat/service-tier.ts';

/** The facts of a response, and the items in it that models of other vendors can read as well. */
export interface ItemNotes extends ResponseNotes {
  /** Undefined until the response is complete. */
  readonly items: readonly JsonFields[] | undefined;
}

/** Items that begin before they have anything to show. */
const openItems: ReadonlySet<string> = new Set(['message', 'reasoning']);
const calls: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);
const joins = {
  growing: new Set(['/delta']),
  replaced: new Set(['/sequence_number', '/obfuscation']),
} satisfies ResponseNotes['joins'];
const portable: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call']);

/** The facts of a response or a compaction, whole or in events. */
export function responseNotes(): ItemNotes {
  const found = noOutcome();
  const ids = new Set<string>();
  const items = new Map<unknown, JsonFields>();
  let failure: PatchbayError | undefined;
  let [hasOutput, isComplete, isOver] = [false, false, false];

  const readItem = (place: unknown, value: unknown): void => {
    const item = fieldsOf(value) ?? {};
    items.set(place, item);
    const own = [textOf(item['id']), ...storedIdsIn(item)].filter((id) => id !== undefined);
    const proof = textOf(item['encrypted_content']) ?? '';
    for (const id of proof === '' ? own : [...own, reasoningDigest(proof)]) ids.add(id);
  };
  const readHead = (response: JsonFields): void => {
    found.model ??= textOf(response['model']);
    const tier = textOf(response['service_tier']);
    if (tier !== undefined) found.priceFactor = priceFactor(tier);
    found.usage = usageOf(response['usage']) ?? found.usage;
  };
  const readWhole = (response: JsonFields): void => {
    readHead(response);
    for (const [index, item] of (listOf(response['output']) ?? []).entries()) readItem(index, item);
    const status = textOf(response['status']) ?? (response['object'] === 'response.compaction' ? 'completed' : '');
    if (status === 'failed') failure = failureOf(fieldsOf(response['error']) ?? {});
    if (status !== 'completed' && status !== 'incomplete') return;
    if (!listOf(response['output'])) throw badResponse('has no list of output');
    const isFiltered = fieldsOf(response['incomplete_details'])?.['reason'] === 'content_filter';
    const hasCalls = [...items.values()].some(({ type }) => calls.has(textOf(type) ?? ''));
    const ending = hasCalls ? 'tool-calls' : 'stop';
    found.finishReason = status === 'completed' ? ending : isFiltered ? 'content-filter' : 'length';
    hasOutput = true;
    isComplete = true;
    // The vendor does not continue from one that was cut off.
    const id = textOf(response['id']);
    if (id !== undefined) ids.add(id);
  };

  const events: Readonly<Record<string, (event: JsonFields) => void>> = {
    'response.created': ({ response }) => readHead(fieldsOf(response) ?? {}),
    'response.output_item.added'({ item }) {
      if (!openItems.has(textOf(fieldsOf(item)?.['type']) ?? '')) hasOutput = true;
    },
    'response.output_item.done'({ output_index: index, item }) {
      readItem(index, item);
      hasOutput = true;
    },
    'response.completed': ({ response }) => readWhole(fieldsOf(response) ?? {}),
    'response.incomplete': ({ response }) => readWhole(fieldsOf(response) ?? {}),
    'response.failed': ({ response }) => readWhole({ ...fieldsOf(response), status: 'failed' }),
    error(event) {
      failure = failureOf({ code: event['code'] });
    },
  };

  return {
    get found() {
      return { ...found, ownIds: [...ids] };
    },
    get hasOutput() {
      return hasOutput;
    },
    get isComplete() {
      return isComplete;
    },
    get failure() {
      return failure;
    },
    get hasEnd() {
      return isComplete;
    },
    // Open Responses requires it, and OpenAI does not send it.
    get missingEnd() {
      return isComplete && !isOver ? doneEvent : undefined;
    },
    over() {
      isOver = true;
    },
    get items() {
      return isComplete ? [...items.values()].filter(({ type }) => portable.has(textOf(type) ?? '')) : undefined;
    },
    joins,
    read(document) {
      const type = textOf(document['type']);
      if (type === undefined) {
        found.outputBytes += textBytes(document['output']);
        readWhole(document);
      } else if (type.endsWith('.delta')) {
        found.outputBytes += textBytes(document['delta']);
        hasOutput = true;
      } else if (Object.hasOwn(events, type)) events[type]?.(document);
    },
  };
}

/** The counts of a response, of OpenAI and of every server with this API. */
function usageOf(value: unknown) {
  const usage = fieldsOf(value);
  if (!usage) return undefined;
  const input = fieldsOf(usage['input_tokens_details']);
  const counts = {
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    cacheRead: input?.['cached_tokens'],
    cacheWrite: input?.['cache_write_tokens'],
    reasoning: fieldsOf(usage['output_tokens_details'])?.['reasoning_tokens'],
    total: usage['total_tokens'],
  };
  return readUsage(counts, { badAnswer: badResponse });
}
