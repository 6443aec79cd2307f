import type { UpstreamFaultKind } from '@patchbay/core/provider';
import type { Reply } from './exchange.ts';
import { upstreamReplies as replies } from './upstream-replies.ts';

/** One way in which a provider's server fails, and what an adapter has to make of it. */
export interface UpstreamFaultCase {
  readonly name: string;
  readonly reply: Reply;
  /** The kinds that `providerError` may give the failure. Empty: it is not a failure, the response can be used. */
  readonly expected: readonly UpstreamFaultKind[];
  /** The fault occurs only in a streamed response; a request without a stream gets a healthy one. */
  readonly stream?: true;
}

const fault = (name: string, reply: Reply, ...expected: readonly UpstreamFaultKind[]): UpstreamFaultCase => ({
  name,
  reply,
  expected,
});
const streamFault = (name: string, reply: Reply, ...expected: readonly UpstreamFaultKind[]): UpstreamFaultCase => ({
  ...fault(name, reply, ...expected),
  stream: true,
});

/**
 * Every fault that a reply can play, in any dialect. What happens before a request arrives is not among them: a port
 * that refuses, a name that does not exist, a certificate (`tls` of `startUpstream`).
 *
 * @param redirectTarget Where cross-origin redirects point: another upstream, which must see nothing.
 *
 * @example
 * ```ts
 * import { startUpstream, upstreamFaults } from '@patchbay/testing';
 *
 * const upstream = await startUpstream({ dialect: 'anthropic' });
 * const elsewhere = await startUpstream({ dialect: 'anthropic' });
 * for (const { name, reply, expected } of upstreamFaults(elsewhere.url)) {
 *   upstream.script(reply);
 *   console.log(name, expected); // ask the adapter, compare
 * }
 * ```
 */
export function upstreamFaults(redirectTarget: string): readonly UpstreamFaultCase[] {
  const { status } = replies;
  return [
    fault('reset before headers', replies.reset(), 'unreachable'),
    fault('closed before headers', replies.close(), 'unreachable'),
    fault('hang before headers', replies.hang(), 'timeout'),
    fault('hang after headers', replies.hangAfterHeaders(), 'timeout'),
    fault('hang within the body', replies.hangMidBody(), 'timeout'),
    fault('trickle', replies.trickle(5), 'timeout'),

    fault('400', status(400), 'rejected'),
    fault('400 context length', replies.refusal('context_length'), 'context_length'),
    fault('400 content filter', replies.refusal('content_filter'), 'content_filter'),
    fault('400 unsupported parameter', replies.refusal('unsupported'), 'unsupported', 'rejected'),
    fault('401', status(401), 'auth'),
    fault('402', status(402), 'auth'),
    fault('403', status(403), 'auth'),
    fault('404', status(404), 'model_gone'),
    fault('408', status(408), 'busy'),
    fault('409', status(409), 'busy'),
    fault('425', status(425), 'busy'),
    fault('429', status(429), 'rate_limited'),
    fault('429 for a second', status(429, { retryAfter: '1' }), 'rate_limited'),
    fault('429 for an hour', status(429, { retryAfter: '3600' }), 'rate_limited'),
    fault('429 for a negative time', status(429, { retryAfter: '-5' }), 'rate_limited'),
    fault('429 for no time at all', status(429, { retryAfter: 'soon' }), 'rate_limited'),
    fault('429 until a date', status(429, { retryAfter: 'Fri, 31 Dec 2100 23:59:59 GMT' }), 'rate_limited'),
    ...[500, 502, 503, 504, 529].map((code) => fault(String(code), status(code), 'failed')),
    fault('500 with a page', replies.body('<h1>Oops</h1>', { status: 500, contentType: 'text/html' }), 'failed'),

    fault('200 with a page', replies.html(), 'bad_response'),
    fault('204', replies.noContent(), 'bad_response'),
    fault('200 without a body', replies.body(''), 'bad_response'),
    fault('200 with {}', replies.body('{}'), 'bad_response'),
    fault('200 with null', replies.body('null'), 'bad_response'),
    fault('truncated JSON', replies.truncatedJson(), 'bad_response'),
    fault('wrong types', replies.wrongTypes(), 'bad_response'),
    fault('no choices', replies.noChoices(), 'bad_response'),
    fault('null content', replies.nullContent(), 'bad_response'),
    fault('negative usage', replies.negativeUsage(), 'bad_response'),
    fault('no usage', replies.healthy({ usage: null })),

    fault('50 MB', replies.largeBody(50_000_000), 'bad_response'),
    fault('50 MB in chunks', replies.largeChunkedBody(50_000_000), 'bad_response'),
    fault('gzip bomb of 300 MB', replies.gzipBomb(300_000_000), 'bad_response'),
    fault('20 KB header', replies.hugeHeader(20_000), 'bad_response'),
    fault('1,000 headers', replies.manyHeaders(1_000), 'bad_response'),

    fault('redirect within the origin', replies.redirect('/elsewhere'), 'redirect'),
    fault('redirect to another origin', replies.redirect(`${redirectTarget}/v1/messages`), 'redirect'),
    fault('close within the body', replies.closeMidBody(), 'bad_response'),
    fault('reset within the body', replies.resetMidBody(), 'bad_response'),
    fault('shorter than its length', replies.tooShort(), 'bad_response'),
    fault('longer than its length', replies.tooLong(), 'bad_response'),
    fault('garbage instead of a chunk', replies.chunkGarbage(), 'bad_response'),
    fault('not HTTP', replies.notHttp(), 'bad_response'),

    streamFault('malformed event', replies.malformedEvent(), 'bad_response'),
    streamFault('error event', replies.errorEvent(), 'failed', 'busy', 'bad_response'),
    streamFault('no terminal event', replies.noEnding(), 'bad_response'),
    streamFault('close within the stream', replies.closeMidStream(), 'bad_response'),
    streamFault('hang within the stream', replies.hangMidStream(), 'timeout'),
    streamFault('line of 10 MB', replies.longLine(10_000_000), 'bad_response'),
    streamFault('byte by byte', replies.bytewise()),
    streamFault('other line ends', replies.otherLineEnds()),
    streamFault('comments', replies.comments()),
    streamFault('duplicate terminal event', replies.duplicateEnding()),
  ];
}
