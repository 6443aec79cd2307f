/** Origins that requests may go to. */
export interface HostPattern {
  readonly protocol: 'https:' | 'http:';
  /** Without its first label where any is meant. Empty: every host. */
  readonly name: string;
  readonly wildcard: boolean;
  readonly port: string;
}

const ports = { 'https:': '443', 'http:': '80' } as const;

/**
 * Read `api.acme.com`, `*.acme.com`, `*`, `api.acme.com:8443` or `http://127.0.0.1:9000`. Without a protocol it is https.
 * `*.acme.com` is every host below `acme.com`, and not `acme.com` itself.
 *
 * @returns Undefined for what is none of these.
 */
export function parseHostPattern(text: string): HostPattern | undefined {
  const [, protocol = 'https:', wildcard = '', rest = ''] =
    /^(?:(https?:)\/\/)?(\*\.|\*(?=$|:))?(.*)$/su.exec(text) ?? [];
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const any = wildcard === '*';
  // The parser of URLs brings names and addresses into the form that URLs of requests have.
  const url = URL.parse(`${protocol}//${any ? `any${rest}` : rest}`);
  if (url === null || /[/?#@\s*]/u.test(rest) || url.hostname === '') return undefined;
  return { protocol, name: any ? '' : url.hostname, wildcard: wildcard !== '', port: portOf(url) };
}

export function matchesHost({ protocol, name, wildcard, port }: HostPattern, url: URL): boolean {
  if (url.protocol !== protocol || portOf(url) !== port) return false;
  if (!wildcard) return url.hostname === name;
  return name === '' || url.hostname.endsWith(`.${name}`);
}

function portOf({ protocol, port }: URL): string {
  return port === '' ? (ports[protocol as keyof typeof ports] ?? '') : port;
}
