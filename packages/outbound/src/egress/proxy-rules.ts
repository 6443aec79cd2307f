import { isIP } from 'node:net';
import type { OptionSchema, OptionValue } from '@patchbay/contracts/config-schema';
import { PatchbayError } from '@patchbay/contracts/errors';
import { createRangeFilter } from './address-filter.ts';
import { isAddressRange } from './address-range.ts';

/** The section `egress` of a config: the forward proxy of a server. */
export const egressOptions = {
  type: 'object',
  default: {},
  properties: {
    proxy: {
      type: 'string',
      format: 'proxy-url',
      description:
        'Forward proxy for requests to model providers and token issuers. Default: `HTTPS_PROXY` and `HTTP_PROXY` of the environment.',
    },
    noProxy: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description:
        'Hosts, domains and address ranges that bypass the proxy; `*` for all. Default: `NO_PROXY` and loopback addresses.',
    },
  },
} as const satisfies OptionSchema;

export type EgressConfig = OptionValue<typeof egressOptions>;

/** The proxy by which an origin is reached; undefined if it is reached directly. */
export type ProxyFor = (origin: URL) => URL | undefined;

export interface ProxyRules {
  readonly proxyFor: ProxyFor;
  /** Credentials of the proxies, in every form in which they could appear in a string. */
  readonly secrets: () => readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Decides which proxy to use for an origin. Variables are read in lower case first, as in curl, and an origin
 * on a loopback address is reached directly unless `noProxy` says otherwise: to a proxy, that address is another host.
 *
 * The rules throw a PatchbayError `config_invalid` for a variable that is not the URL of an HTTP proxy.
 */
export function createProxyRules({ proxy, noProxy }: EgressConfig, environment: Environment): ProxyRules {
  const listed = noProxy ?? (variable(environment, 'no_proxy') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  const direct = noProxy === undefined ? [...listed, 'localhost', '127.0.0.0/8', '::1'] : listed;
  if (direct.includes('*')) return { proxyFor: () => undefined, secrets: () => [] };
  const configured = proxy === undefined ? undefined : new URL(proxy);
  // Variables are read when they are needed, so an invalid one breaks nothing that does not use it.
  const proxyOf = (protocol: string) =>
    configured ?? environmentProxy(environment, protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  const rules = direct.map(directRule);
  return {
    proxyFor: (origin) => (rules.some((matches) => matches(origin)) ? undefined : proxyOf(origin.protocol)),
    secrets: () =>
      ['http:', 'https:'].flatMap((protocol) => {
        const found = proxyOf(protocol);
        return found === undefined ? [] : credentialForms(found);
      }),
  };
}

/** Whether a string is the URL of a proxy: `http` or `https`, and nothing after the port. */
export function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.pathname === '/' && url.search === '' && url.hash === '' && canDecode(url);
}

/** The value of `Proxy-Authorization`; undefined if the URL has no credentials. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function canDecode({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function credentialForms(proxy: URL): readonly string[] {
  const authorization = proxyAuthorization(proxy);
  if (authorization === undefined) return [];
  const { username, password } = proxy;
  // A user name alone is often a token.
  const decisive = password === '' ? username : password;
  const forms = [
    `${username}:${password}`,
    decisive,
    decodeURIComponent(decisive),
    authorization.slice('Basic '.length),
  ];
  return [...new Set(forms)];
}

function environmentProxy(environment: Environment, name: string): URL | undefined {
  const value = variable(environment, name);
  if (value === undefined) return undefined;
  // As curl does it: `proxy.example:3128` is an HTTP proxy.
  const text = value.includes('://') ? value : `http://${value}`;
  if (isProxyUrl(text)) return new URL(text);
  const message = `${name.toUpperCase()} must be the URL of an HTTP proxy, such as http://proxy.example:3128; egress.proxy and egress.noProxy go before it`;
  throw new PatchbayError('config_invalid', message);
}

/** An empty variable counts as unset. */
function variable(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

/** `example.com`, `.example.com` and `*.example.com` are the same: the domain and its subdomains. */
function directRule(entry: string): (origin: URL) => boolean {
  if (isAddressRange(entry)) {
    const isWithin = createRangeFilter([entry]);
    return ({ hostname }) => isWithin(bare(hostname));
  }
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const name = bare(host)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  return (origin) => {
    const hostname = bare(origin.hostname).replace(/\.$/, '');
    const isHost = hostname === name || (isIP(name) === 0 && name !== '' && hostname.endsWith(`.${name}`));
    return isHost && (port === undefined || port === portOf(origin));
  };
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
