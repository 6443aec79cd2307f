import type { ContentLevel } from '@patchbay/contracts/content';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import { fitDocument } from './fit-document.ts';
import { applyRules, type Removed, type RuleNode, type Scrub, scrubOf } from './redaction-rules.ts';
import type { GivenContent, RejectedOutput, StoredContent } from './stored-content.ts';
import { jsonBytes, summarize } from './summarize.ts';

export interface ContentBounds {
  readonly level: Exclude<ContentLevel, 'off'>;
  /** Of the documents together, as JSON. */
  readonly maxBytes: number;
  readonly rules: RuleNode;
  /** Removes secrets of the server from a text. */
  readonly hide: (text: string) => string;
}

interface Documents {
  readonly request: JsonValue;
  readonly response: JsonValue;
  readonly repairs: readonly JsonValue[];
}

const MOST_MARKS = 100;

/**
 * The content of a call as it is stored: what the rules name is removed first, then files, credentials, and what is too
 * long.
 */
export function prepareContent(content: GivenContent, { level, maxBytes, rules, hide }: ContentBounds): StoredContent {
  const summary = summarize(content);
  const nothing = { summary, redacted: [], cut: [], omitted: [] };
  if (level === 'metadata') return { ...nothing, level, documents: null };
  const { request, response, repairs = [] } = content;
  const given = { request, response: response ?? null, repairs } as unknown as Documents;
  const redaction = redact(given, rules);
  const { redacted } = redaction;
  const fitted = redaction.documents && fitDocument(redaction.documents as unknown as JsonObject, maxBytes, hide);
  if (!fitted) {
    const cut = [{ pointer: '', bytes: jsonBytes(given) }];
    return { ...nothing, level: 'metadata', redacted, cut, documents: null };
  }
  const documents = fitted.document as unknown as NonNullable<StoredContent['documents']>;
  const { responseBytes: bytes } = content;
  const cut = [...(bytes === undefined ? [] : [{ pointer: '/response', bytes }]), ...fitted.marks.cut];
  return { summary: scrubbedErrors(summary, documents.repairs), level, redacted, ...fitted.marks, cut, documents };
}

/** The errors may quote what was removed from the outputs that they are about. */
function scrubbedErrors(
  summary: StoredContent['summary'],
  repairs: readonly RejectedOutput[],
): StoredContent['summary'] {
  if (summary.repairs.length === 0) return summary;
  const errorsOf = (index: number) => repairs[index]?.errors ?? [];
  return { ...summary, repairs: summary.repairs.map((each, index) => ({ ...each, errors: errorsOf(index) })) };
}

/** Documents are undefined if too much was removed to search for all of it in the rest. */
function redact(
  { request, response, repairs }: Documents,
  rules: RuleNode,
): { readonly documents: Documents | undefined; readonly redacted: readonly string[] } {
  if (rules.members.size === 0) return { documents: { request, response, repairs }, redacted: [] };
  const removed: Removed = { pointers: [], values: new Set() };
  const applied = {
    request: applyRules(request, rules, '/request', removed),
    response: applyRules(response, rules, '/response', removed),
    repairs: repairs.map((each, index) => applyRules(each, rules, `/repairs/${index}`, removed)),
  };
  const redacted = removed.pointers.slice(0, MOST_MARKS);
  if (removed.values.size === 0) return { documents: applied, redacted };
  const scrub = scrubOf(removed.values, jsonBytes(applied));
  return { documents: scrub && (scrubbed(applied as unknown as JsonValue, scrub) as unknown as Documents), redacted };
}

function scrubbed(value: JsonValue, scrub: Scrub): JsonValue {
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'number') return scrub(String(value)) === String(value) ? value : '[redacted]';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => scrubbed(each, scrub));
  const members = Object.entries(value as JsonObject).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, scrubbed(member as JsonValue, scrub)]));
}
