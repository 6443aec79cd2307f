import type { ErrorCode } from '@patchbay/core';

/** The response to one kind of failure of a provider. The page docs/reference/provider-failures.md has the same rows. */
export interface FaultRow {
  /** The failure, in the words of the page. */
  readonly what: string;
  /** The single faults that are played, by their names in `faults.ts`. */
  readonly faults: readonly string[];
  /** For a request that names the model: the code of the failure, or that there is an answer. */
  readonly named: ErrorCode | 'answer';
  /** For a request that leaves the choice to the gateway, where another model could answer. */
  readonly auto: 'another model' | 'another model continues' | 'the same';
  /** How often a named model is asked. */
  readonly asked: 1 | 2;
  /** Asked for a second time to repair what it said, and also where another model could answer. */
  readonly repairs?: true;
  /** Seconds in `Retry-After`. */
  readonly retryAfter?: number;
  /** The failure comes after the first output of a stream, and can only be reported or repaired within it. */
  readonly within?: 'stream';
}

type Options = Pick<FaultRow, 'retryAfter' | 'within' | 'repairs'> & {
  readonly asked?: 2;
  readonly auto?: FaultRow['auto'];
};

function row(what: string, named: FaultRow['named'], faults: readonly string[], options: Options = {}): FaultRow {
  return { what, faults, named, auto: 'another model', asked: 1, ...options };
}

/** Failures that every endpoint knows. */
export const commonFaults: readonly FaultRow[] = [
  row('cannot be reached', 'provider_error', ['connection refused', 'unknown host']),
  row(
    'closes the connection instead of answering',
    'provider_error',
    ['reset before headers', 'closed before headers'],
    {
      asked: 2,
    },
  ),
  row('has a certificate that is not trusted, or that of another host', 'provider_error', [
    'certificate not trusted',
    'certificate of another host',
  ]),
  row('is silent while connecting, before or within the answer, or sends it byte by byte', 'provider_timeout', [
    'handshake without an end',
    'hang before headers',
    'hang after headers',
    'hang within the body',
    'trickle',
  ]),
  row('refuses the length of the request', 'context_length_exceeded', ['400 context length']),
  row('refuses the content', 'content_filtered', ['400 content filter'], { auto: 'the same' }),
  row('refuses a parameter', 'unsupported_parameter', ['400 unsupported parameter']),
  row('answers 400 for any other reason', 'provider_error', ['400']),
  row('answers 401, 402 or 403', 'provider_auth_failed', ['401', '402', '403']),
  row('answers 404', 'provider_error', ['404']),
  row('answers 408, 409 or 425', 'provider_error', ['408', '409', '425'], { asked: 2 }),
  row(
    'answers 429 for a second, or without a time that can be read',
    'provider_rate_limited',
    ['429', '429 for a second', '429 for a negative time', '429 for no time at all'],
    { asked: 2, retryAfter: 1 },
  ),
  row('answers 429 for more than 2 seconds', 'provider_rate_limited', ['429 for an hour', '429 until a date'], {
    retryAfter: 60,
  }),
  row('answers 500, 502, 503, 504 or 529', 'provider_error', ['500', '502', '503', '504', '529', '500 with a page'], {
    asked: 2,
  }),
  row('answers 500 with our key in the text, which is not repeated', 'provider_error', ['500 with our key'], {
    asked: 2,
  }),
  row(
    'sends a page, nothing, or JSON that is no answer: cut, of wrong types, without content',
    'provider_bad_response',
    [
      '200 with a page',
      '204',
      '200 without a body',
      '200 with {}',
      '200 with null',
      'truncated JSON',
      'wrong types',
      'no choices',
      'null content',
    ],
  ),
  row('counts fewer tokens than none', 'provider_bad_response', ['negative usage']),
  row('counts no tokens: they are estimated, and `warnings` says so', 'answer', ['no usage'], {
    auto: 'the same',
  }),
  row('sends more than 16 MiB, 16 KiB of headers or 128 headers, or packs its answer', 'provider_bad_response', [
    '50 MB',
    '50 MB in chunks',
    'gzip bomb of 300 MB',
    '20 KB header',
    '1,000 headers',
  ]),
  row('redirects: it is not followed', 'provider_error', ['redirect within the origin', 'redirect to another origin']),
  row('cuts its answer, sends more or less than it said, or no HTTP', 'provider_bad_response', [
    'close within the body',
    'reset within the body',
    'shorter than its length',
    'longer than its length',
    'garbage instead of a chunk',
    'not HTTP',
  ]),
];

/** Failures of streams. Those `within` come after the first output. */
const continued = { within: 'stream', auto: 'another model continues' } as const;

export const streamFaults: readonly FaultRow[] = [
  row('says nothing before the first output, or comments only', 'provider_timeout', [
    'stream without events',
    'stream of comments',
  ]),
  row('sends megabytes that are no event', 'provider_bad_response', ['line of 10 MB']),
  row('says nothing more', 'provider_timeout', ['hang within the stream'], continued),
  row('reports a failure', 'provider_error', ['error event'], continued),
  row(
    'sends an event that is no JSON, or ends without its last event',
    'provider_bad_response',
    ['malformed event', 'no terminal event', 'close within the stream'],
    continued,
  ),
  row(
    'cuts characters, ends lines in another way, adds comments or a second last event',
    'answer',
    ['byte by byte', 'other line ends', 'comments', 'duplicate terminal event'],
    { auto: 'the same' },
  ),
];

export const functionFaults: readonly FaultRow[] = [
  row(
    'calls no function, one that is not declared, or with arguments that do not fit or are no JSON',
    'function_call_invalid',
    ['no call', 'unknown function', 'arguments that do not fit', 'arguments that are no JSON'],
    { asked: 2, repairs: true },
  ),
];

export const embeddingFaults: readonly FaultRow[] = [
  row('sends a vector that is empty, of another length, or not of finite numbers', 'provider_bad_response', [
    'empty vector',
    'vector of another length',
    'vector with infinity',
  ]),
];
