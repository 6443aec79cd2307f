import { randomUUID } from 'node:crypto';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import type { Resolve } from '@patchbay/outbound/egress/resolve-names';
import { failedStep, type NotedContext, noteStep } from '../../usage/call-records.ts';
import { type FetchRequest, readFetchRequest, readUrl, refused } from './fetch-request.ts';
import { addressesFor, type EgressPolicy, type GrantedSecret, matchesHost } from './grants.ts';
import type { ServeCall } from './open-host-calls.ts';
import { type FetchAnswer, failed, GuardedConnections, type OutgoingFetch, sendRequest } from './send-request.ts';

interface FetchLimits {
  /** Timeout of one call in milliseconds, including redirects. */
  readonly timeoutMs: number;
  /** Maximum size of a response body in bytes. */
  readonly maxBytes: number;
}

/** `fetch` for the code of one run. */
export interface RunFetch {
  readonly serve: ServeCall;
  /** The placeholder of each secret, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly close: () => void;
}

const MAX_REDIRECTS = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to the origin they were sent to. */
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/**
 * Sends requests that the policy allows. Each redirect is checked like a new request; to another
 * origin, neither credentials nor secrets are sent.
 */
export function createRunFetch(policy: EgressPolicy, limits: FetchLimits, resolve: Resolve): RunFetch {
  const held = holdSecrets(policy.secrets);
  const byOrigin = new Map<string, GuardedConnections>();

  const connectionsTo = (url: URL): GuardedConnections => {
    const found = byOrigin.get(url.origin);
    if (found) return found;
    const isAllowed = addressesFor(policy, url);
    if (!isAllowed) throw refused(`this function may not send requests to ${url.origin}`);
    const connections = new GuardedConnections(isAllowed, resolve);
    byOrigin.set(url.origin, connections);
    return connections;
  };

  const follow = async (first: FetchRequest, signal: AbortSignal) => {
    let request: OutgoingFetch = first;
    for (let hops = 0; ; hops++) {
      const connections = connectionsTo(request.url);
      const outgoing = { ...request, headers: withSecrets(request, held) };
      const answer = await sendRequest(connections, outgoing, { maxBytes: limits.maxBytes, signal });
      const location = answer.headers.find(([name]) => name === 'location')?.[1];
      if (first.redirect === 'manual' || location === undefined || !redirects.has(answer.status)) {
        return describeAnswer(answer, { url: request.url, redirected: hops > 0 }, held);
      }
      if (first.redirect === 'error') throw failed('the host answered with a redirect');
      if (hops === MAX_REDIRECTS) throw failed(`the host redirects more than ${MAX_REDIRECTS} times`);
      if (!URL.canParse(location, request.url.href)) throw failed('the host redirects to what is no URL');
      request = redirected(request, answer.status, readUrl(location, request.url), held);
    }
  };

  return {
    secrets: Object.fromEntries(held.map(({ name, placeholder }) => [name, placeholder])),
    close() {
      for (const connections of byOrigin.values()) connections.close();
    },
    async serve(given: JsonValue, { signal, parent }: NotedContext) {
      const request = readFetchRequest(given);
      checkPlaces(request, held);
      const { host } = request.url;
      const from = parent?.notes.now() ?? 0;
      const deadline = AbortSignal.timeout(limits.timeoutMs);
      try {
        const answer = await follow(request, AbortSignal.any([signal, deadline]));
        noteStep(parent?.notes, from, { kind: 'fetch', name: host });
        return answer;
      } catch (error) {
        const isLate = deadline.aborted && !signal.aborted && !PatchbayError.is(error);
        const detail = `the host did not respond within ${limits.timeoutMs} ms`;
        const failure = isLate ? new PatchbayError('fetch_timeout', detail) : error;
        if (PatchbayError.is(failure)) noteStep(parent?.notes, from, failedStep('fetch', host, failure));
        throw failure;
      }
    },
  };
}

/** A secret in a URL ends up in logs, and in a body it cannot be distinguished from data: it is allowed in headers only. */
function checkPlaces({ url, body }: FetchRequest, held: readonly HeldSecret[]): void {
  for (const { name, placeholder } of held) {
    if (url.href.includes(placeholder) || body?.includes(placeholder)) {
      throw refused(`the secret "${name}" can be sent in headers only`);
    }
  }
}

function withSecrets({ url, headers }: OutgoingFetch, held: readonly HeldSecret[]): OutgoingFetch['headers'] {
  return headers.map(([field, text]) => {
    let value = text;
    for (const { name, placeholder, value: secret, hosts } of held) {
      if (!value.includes(placeholder)) continue;
      if (!hosts.some((pattern) => matchesHost(pattern, url))) {
        throw refused(`the secret "${name}" may not be sent to ${url.origin}`);
      }
      value = value.replaceAll(placeholder, () => secret);
    }
    return [field, value] as const;
  });
}

/** The next request after a redirect, as in browsers (Fetch Standard, "HTTP-redirect fetch"). */
function redirected(
  { url, method, headers, body }: OutgoingFetch,
  status: number,
  target: URL,
  held: readonly HeldSecret[],
): OutgoingFetch {
  const kept =
    target.origin === url.origin
      ? headers
      : headers.filter(
          ([name, value]) => !credentials.has(name) && !held.some(({ placeholder }) => value.includes(placeholder)),
        );
  const becomesGet =
    status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method.toUpperCase() === 'POST';
  if (!becomesGet) return { url: target, method, headers: kept, body };
  return {
    url: target,
    method: 'GET',
    headers: kept.filter(([name]) => !name.startsWith('content-')),
    body: undefined,
  };
}

function describeAnswer(
  { status, statusText, headers, body }: FetchAnswer,
  { url, redirected: wasRedirected }: { readonly url: URL; readonly redirected: boolean },
  held: readonly HeldSecret[],
) {
  const clean = (text: string): string => redact(Buffer.from(text, 'latin1'), held).toString('latin1');
  return {
    url: clean(url.href),
    redirected: wasRedirected,
    status,
    statusText: clean(statusText),
    headers: headers.map(([name, value]) => [clean(name), clean(value)]),
    body: redact(body, held).toString('base64'),
  };
}

interface HeldSecret extends GrantedSecret {
  readonly name: string;
  /** The placeholder given to the code. It is valid for only one run, so that no text from outside equals it. */
  readonly placeholder: string;
}

function holdSecrets(secrets: ReadonlyMap<string, GrantedSecret>): readonly HeldSecret[] {
  return [...secrets].map(([name, secret]) => ({ ...secret, name, placeholder: `secret-${name}-${randomUUID()}` }));
}

/**
 * Replace the secret in a response by its placeholder: verbatim, and as JSON, URL, hex and base64.
 * Protects against servers that echo requests. It cannot protect against a server that leaks secrets on purpose: a secret is
 * sent only to servers that know it.
 */
function redact(bytes: Buffer, secrets: readonly HeldSecret[]): Buffer {
  // One character per byte, so that text and binary data are treated alike.
  const text = bytes.toString('latin1');
  const redacted = secrets.reduce(
    (rest, { value, placeholder }) =>
      formsOf(value).reduce((each, form) => each.replaceAll(form, () => placeholder), rest),
    text,
  );
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = base64Within(bytes, offset);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  const forms = [
    bytes.toString('latin1'),
    Buffer.from(JSON.stringify(value).slice(1, -1)).toString('latin1'),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...base64,
  ];
  return [...new Set(forms)];
}

/** The characters of base64 that depend on these bytes alone, wherever they are among others. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
