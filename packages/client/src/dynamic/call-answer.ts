import type { CallMeta } from './call.ts';

/** What a server answered to a call, whichever way it went. */
export interface CallAnswer {
  readonly output: unknown;
  readonly meta: Pick<CallMeta, 'source' | 'warnings'>;
}

/** `POST /call/:name`, answered whole or at the end of a stream. */
export function readCallAnswer(json: unknown): CallAnswer {
  // The input is the caller's own, and nothing to be logged with the rest.
  const { output, input: _, ...rest } = json as Readonly<Record<string, unknown>>;
  return { output, meta: { source: 'generated', warnings: [], ...rest } };
}
