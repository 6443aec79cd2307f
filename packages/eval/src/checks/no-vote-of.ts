import { APIError } from '@patchbay/client';
import type { Verdict } from '../eval-case.ts';

/** Statuses and codes that concern the whole run: the key or its budget, not one request. */
const ofTheRun = (error: APIError): boolean =>
  error.status === 401 || error.status === 403 || error.code === 'quota_exceeded';

/**
 * The missing vote of a judge whose request failed.
 *
 * @throws the error, if it would end other requests of the run as well.
 */
export function noVoteOf(who: string, error: unknown): Extract<Verdict, { readonly noVote: string }> {
  if (error instanceof APIError && !ofTheRun(error)) return { noVote: `${who} failed: ${error.code ?? error.status}` };
  throw error;
}
