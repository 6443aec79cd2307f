import { type ConnectionOptions, rootCertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { createAddressFilter, createRangeFilter } from '@patchbay/outbound/egress/address-filter';
import type { SocketGuard } from '@patchbay/outbound/egress/open-guarded-socket';
import { createDnsResolver, createNameResolver, type Resolve } from '@patchbay/outbound/egress/resolve-names';
import { LRUCache } from 'lru-cache';
import type { WebhookPolicy } from '../webhook-options.ts';
import { signatureHeader } from '../webhook-secrets.ts';
import { checkWebhookUrl, needsOpenedRange, resolveEndpoints } from './check-webhook-url.ts';
import { GuardedAgent, type PostAnswer, type PostLimits, post } from './post.ts';
import { type FailureCode, readRetryAfter, responseExcerpt, type SendOutcome } from './send-outcome.ts';

export interface WebhookSenderOptions {
  /** The current options. A message that is being sent keeps the ones it began with. */
  readonly settings: () => SenderSettings;
  readonly clock: Clock;
  /** Default: DNS; if private ranges are open, followed by the system's lookup. */
  readonly resolve?: Resolve;
  /** Trusted CA certificates in addition to Node's, as PEM. */
  readonly certificateAuthorities?: readonly string[];
}

export interface SenderSettings {
  readonly policy: WebhookPolicy;
  readonly limits?: Partial<SendLimits>;
}

export interface SendLimits extends PostLimits {
  /** Milliseconds to establish the connection, including name resolution and the TLS handshake. */
  readonly connectMs: number;
}

/** One attempt to deliver one message. */
export interface WebhookMessage {
  readonly url: string;
  /** The same for every attempt, so that receivers can tell a message they have seen. */
  readonly id: string;
  /** Of this attempt, in epoch milliseconds. */
  readonly timestamp: number;
  /** Each of them signs. `whsec_` and base64. At least one. */
  readonly secrets: readonly string[];
  /** JSON. Sent and signed unchanged. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** Sent along, if the operator wants receivers to see it. It is not signed. */
  readonly trace?: RequestContext['trace'];
}

/** Sends messages to endpoints of tenants, which are untrusted. */
export interface WebhookSender {
  /** Every behaviour of the endpoint is an outcome. Rejects only with the signal's reason, or because the sender is closed. */
  send(message: WebhookMessage): Promise<SendOutcome>;
  /** Close every connection. Messages that are being sent reject. */
  close(): void;
}

const defaultLimits: SendLimits = { connectMs: 5_000, answerMs: 15_000, totalMs: 15_000, maxResponseBytes: 64 * 1024 };
interface Target {
  readonly url: URL;
  readonly guard: SocketGuard;
}

const throttling: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** There can be as many connections that ended unnoticed as are kept for a host. */
const MAX_STALE = 5;

/**
 * The sender of webhooks (Standard Webhooks 1.0). It connects to public addresses, and to those that the policy allows,
 * and checks each address at the moment it connects to it; it follows no redirects, and uses neither proxies nor
 * cookies.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { clock } = options;
  const dns = createDnsResolver();
  const names = createNameResolver();
  const authorities = options.certificateAuthorities ?? [];
  const ca: { ca?: ConnectionOptions['ca'] } =
    authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] };
  const closing = new AbortController();

  const createRoutes = (settings: SenderSettings) => {
    const { policy } = settings;
    const limits = { ...defaultLimits, ...settings.limits };
    const resolve = options.resolve ?? resolveEndpoints(policy, { byDns: dns.resolve, bySystem: names.resolve });
    const guard = { resolve, connectMs: limits.connectMs, ...ca };
    const guards = {
      public: { ...guard, isAllowed: createAddressFilter(policy.allow) },
      opened: { ...guard, isAllowed: createRangeFilter(policy.allow) },
    };
    // The target of a URL does not change under this policy, and resolving it costs as much as signing.
    const targets = new LRUCache<string, Target>({ max: 1_000 });
    const targetOf = (url: string): Target | undefined => {
      const known = targets.get(url);
      if (known !== undefined || checkWebhookUrl(url, policy) !== undefined) return known;
      const parsed = new URL(url);
      const target = { url: parsed, guard: needsOpenedRange(parsed, policy) ? guards.opened : guards.public };
      targets.set(url, target);
      return target;
    };
    return { settings, limits, targetOf, agent: new GuardedAgent() };
  };
  let latest: ReturnType<typeof createRoutes> | undefined;
  const routesInForce = () => {
    const settings = options.settings();
    if (latest !== undefined && isDeepStrictEqual(settings, latest.settings)) return latest;
    latest?.agent.retire();
    latest = createRoutes(settings);
    return latest;
  };

  const postMessage = async ({
    url,
    id,
    timestamp,
    secrets,
    body,
    signal,
    trace,
  }: WebhookMessage): Promise<PostAnswer> => {
    const { targetOf, agent, limits } = routesInForce();
    const target = targetOf(url);
    if (target === undefined) return { status: 0, headers: {}, body: Buffer.alloc(0), fault: 'url_refused' };
    const seconds = Math.floor(timestamp / 1_000);
    const request = {
      url: target.url,
      body: Buffer.from(body),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Patchbay-Webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatureHeader({ id, timestamp: seconds, body }, secrets),
        ...trace,
      },
    };
    const way = { agent, guard: target.guard, limits, signals: [signal, closing.signal] };
    for (let stale = 0; ; stale++) {
      const answer = await post(request, way);
      // The host ended an idle connection at the moment we took it. It has not seen the message, or will recognize its
      // id.
      if (answer.stale !== true || stale === MAX_STALE) return answer;
    }
  };

  return {
    async send(message) {
      const startedAt = clock.monotonic();
      const answer = await postMessage(message);
      return describe(answer, { durationMs: Math.round(clock.monotonic() - startedAt), now: clock.now() });
    },
    close() {
      closing.abort(new Error('the webhook sender is closed'));
      latest?.agent.destroy();
      dns.close();
      names.close();
    },
  };
}

function describe(
  { status, headers, body, fault }: PostAnswer,
  { durationMs, now }: { readonly durationMs: number; readonly now: number },
): SendOutcome {
  const attempt = { durationMs, responseExcerpt: responseExcerpt(body, headers['content-encoding']) };
  if (status === 410) return { kind: 'gone', status, ...attempt };
  const failure = statusFault(status) ?? fault;
  if (failure === undefined) return { kind: 'delivered', status, ...attempt };
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  return {
    kind: 'failed',
    failure,
    ...attempt,
    ...(status === 0 ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(throttling.has(status) ? { throttled: true } : {}),
  };
}

function statusFault(status: number): FailureCode | undefined {
  if (status === 0 || (status >= 200 && status < 300)) return undefined;
  return status >= 300 && status < 400 ? 'redirected' : 'status';
}
