import { upstreamReplies } from '@patchbay/testing';
import type { Choice, FailoverFault } from './failover-fault.ts';
import { whole, writer, writerWithoutPrefill } from './sixty-words.ts';

const { status, reset, hang, refusal, closeMidStream, hangMidStream, malformedEvent, noTerminator } = upstreamReplies;

const once = { named: [1, 1], automatic: [1, 1] } as const;
/** The second request for a named model goes to the same one; an automatic choice moves on. */
const retried = { named: [2, 2], automatic: [1, 1] } as const;

const both = (does: string): Readonly<Record<Choice, string>> => ({ named: does, automatic: does });

/** A failure that a second request may not see. */
const retry = { ends: 'complete', asked: retried } as const;
const recovers = { ...retry, does: { named: 'asked again', automatic: 'fallback' } } as const;
const remains = { ...retry, does: { named: 'asked again, then fallback', automatic: 'fallback' } } as const;

/**
 * The faults of Failover Bench 0.1 (https://github.com/failoverbench/failoverbench), except the fifteenth, which is a
 * sequence of requests: `play-outage.ts`.
 */
export const failoverFaults: readonly FailoverFault[] = [
  {
    number: 1,
    what: '429 with `Retry-After: 2`, once',
    ...retry,
    does: { named: 'asked again after 2 s', automatic: 'fallback' },
    primary: [status(429, { retryAfter: '2' }), writer()],
    pauseSeconds: 2,
  },
  {
    number: 2,
    what: '429 without `Retry-After`, always',
    ...remains,
    primary: [status(429)],
  },
  {
    number: 3,
    what: '500, once',
    ...recovers,
    primary: [status(500), writer()],
  },
  {
    number: 4,
    what: '503, always',
    ...remains,
    primary: [status(503)],
  },
  {
    number: 5,
    what: 'connection reset before the response, once',
    ...recovers,
    primary: [reset(), writer()],
  },
  {
    number: 6,
    what: 'no response',
    does: both('fallback after `fallbackAfterMs`'),
    primary: [hang()],
    ends: 'complete',
    asked: once,
    isSilent: true,
  },
  {
    number: 7,
    what: 'response begins, first token too late',
    does: both('fallback after `fallbackAfterMs`'),
    primary: [hangMidStream(whole, 0)],
    ends: 'complete',
    asked: once,
    isSilent: true,
  },
  {
    number: 8,
    what: 'stream is cut after 40 words',
    does: both('fallback continues the text'),
    primary: [closeMidStream(whole, 40)],
    ends: 'complete',
    asked: once,
  },
  {
    number: 9,
    what: 'stream stalls after 20 words',
    does: both('fallback continues the text after `fallbackAfterMs`'),
    primary: [hangMidStream(whole, 20)],
    ends: 'complete',
    asked: once,
    isSilent: true,
  },
  {
    number: 10,
    what: 'an event in the middle is not JSON',
    does: both('fallback continues the text'),
    primary: [malformedEvent(whole, 10)],
    ends: 'complete',
    asked: once,
  },
  {
    number: 11,
    what: 'complete stream without its last event, such as `[DONE]`',
    does: both('complete'),
    primary: [noTerminator(whole)],
    ends: 'complete',
    asked: once,
  },
  {
    number: 12,
    what: 'context length exceeded',
    does: both('fallback'),
    primary: [refusal('context_length')],
    ends: 'complete',
    asked: once,
  },
  {
    number: 13,
    what: 'content filter',
    does: both('the error, no fallback'),
    primary: [refusal('content_filter')],
    ends: 'error',
    asked: once,
  },
  {
    number: 14,
    what: 'stream is cut after 40 words, and the fallback rejects prefill',
    does: both('fallback writes the text again, the caller is sent what is missing'),
    primary: [closeMidStream(whole, 40)],
    fallback: writerWithoutPrefill(),
    ends: 'complete',
    asked: once,
  },
  {
    number: 16,
    what: '503, always: accounting',
    ...remains,
    primary: [status(503)],
    answeredBy: 'fallback',
  },
];
