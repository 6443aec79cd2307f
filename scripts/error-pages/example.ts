import type { ErrorCode } from '@patchbay/core';

/** An error that a running Patchbay has returned. */
export interface Example {
  /** The request or action, in a few words of Markdown. */
  readonly asked: string;
  /** The body of the request, where it says something. */
  readonly sent?: unknown;
  /** The problem document; what code has caught; or the lines of a start that failed. */
  readonly answer: object | string;
  readonly retryAfter?: number;
}

export type Examples = Partial<Record<ErrorCode, Example>>;

const timesOf = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** The part of an id after its kind; the last character counts the ids in one text. */
const stem = '01m7yxk8zbevcsetqktderpyf';

/** The text with everything that differs between runs normalized: ids, times, durations, ports and folders. */
export function steady(text: string, folder?: string): string {
  const ids = new Map<string, string>();
  const steadyId = (id: string, kind: string): string => {
    const count = [...ids.keys()].filter((known) => known.startsWith(`${kind}_`)).length;
    const made = ids.get(id) ?? `${kind}_${stem}${count}`;
    ids.set(id, made);
    return made;
  };
  const portable = folder === undefined ? text : text.replaceAll(folder, '/srv/patchbay');
  return portable
    .replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, steadyId)
    .replaceAll(timesOf, '2026-11-21T09:30:00.000Z')
    .replaceAll(/"durationMs": \d+/g, '"durationMs": 12')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:9000');
}
