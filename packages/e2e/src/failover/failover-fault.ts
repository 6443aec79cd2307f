import type { Reply } from '@patchbay/testing';

/** Whether the request names the primary and one fallback, or leaves the choice among both to the gateway. */
export const choices = ['named', 'automatic'] as const;
export type Choice = (typeof choices)[number];

/** Requests that a model may receive, at least and at most. */
export type Attempts = readonly [least: number, most: number];

/** One way in which the first of two models fails, in a stream of sixty words. */
export interface FailoverFault {
  /** As in the published benchmark. */
  readonly number: number;
  /** The failure, as the page names it. */
  readonly what: string;
  /** The reaction of the gateway, as the page names it. */
  readonly does: Readonly<Record<Choice, string>>;
  /** Replies of the primary, one per request; later requests get the last one. */
  readonly primary: readonly Reply[];
  /** Default: one that works. */
  readonly fallback?: Reply;
  /** The text, complete and once, from whichever model; or an error, where another model must not be tried. */
  readonly ends: 'complete' | 'error';
  /** Requests that the primary may receive. */
  readonly asked: Readonly<Record<Choice, Attempts>>;
  /** Seconds that the primary has asked for before its next request. */
  readonly pauseSeconds?: number;
  /** The fault lasts until a limit of the gateway ends it: the tests set the limit low. */
  readonly isSilent?: boolean;
  /** The response names the model that answered: the fallback. */
  readonly answeredBy?: 'fallback';
}
