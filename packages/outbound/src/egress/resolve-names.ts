import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/**
 * The lookup of a socket.
 *
 * @param refuse The error for addresses that must not be connected to.
 */
export function lookupBy(
  resolve: Resolve,
  refuse: (addresses: readonly ResolvedAddress[]) => Error | undefined = () => undefined,
): LookupFunction {
  return (hostname, { all }, answer) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const refusal = refuse(addresses);
        if (refusal) answer(refusal, []);
        else if (!first) answer(new Error('the name has no address'), []);
        else if (all === true) answer(null, [...addresses]);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error, []),
    );
  };
}

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

export interface DnsOptions {
  /** `address:port`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Timeout in milliseconds of one query to one server. Default 2,000. */
  readonly timeoutMs?: number;
}

export interface NameResolver {
  readonly resolve: Resolve;
  /** Cancels every query that has no response yet. */
  close(): void;
}

/**
 * Queries DNS directly. The system's lookup blocks one of four threads until a server responds: a name that
 * is never answered could block all other callers.
 */
export function createDnsResolver({ servers, timeoutMs = 2_000 }: DnsOptions = {}): NameResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const resolve: Resolve = async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer, index): ResolvedAddress[] =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    // That one family has no address says less than that the query for the other one failed.
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    throw errors.find((error) => !hasNoAddress(error)) ?? errors[0];
  };
  return { resolve, close: () => resolver.cancel() };
}

/** Whether DNS has responded that there is no address. */
export function hasNoAddress(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

export interface NameOptions extends DnsOptions {
  /** Default: that of the system. */
  readonly hostsFile?: string;
  /** Default: that of the system. */
  readonly resolverFile?: string;
  /** Resolves names that are found nowhere else. Only for names that the operator chose: it may keep a thread busy. */
  readonly fallback?: Resolve;
}

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const READ_AGAIN_MS = 5_000;

/**
 * Resolves names like the system, from `localhost`, the hosts file, DNS and its search list, but without `getaddrinfo`,
 * which blocks one of four threads until a server responds: a few names with a silent server would block
 * every other connection of the process.
 */
export function createNameResolver(options: NameOptions = {}): NameResolver {
  const { hostsFile = systemHostsFile(), resolverFile = '/etc/resolv.conf', fallback } = options;
  const dns = createDnsResolver(options);
  const hosts = rereadFile(hostsFile, readHosts);
  const searched = rereadFile(resolverFile, readSearchList);

  const byDns = async (hostname: string): Promise<readonly ResolvedAddress[]> => {
    const candidates = searched().map((domain) => `${hostname}.${domain}`);
    // Names without a dot belong to the local network first, all others to the world.
    const names = hostname.includes('.') ? [hostname, ...candidates] : [...candidates, hostname];
    let failure: unknown;
    for (const name of hostname.endsWith('.') ? [hostname] : names) {
      try {
        return await dns.resolve(name);
      } catch (error) {
        if (!hasNoAddress(error)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  };

  return {
    async resolve(hostname) {
      const family = isIP(hostname);
      if (family !== 0) return [{ address: hostname, family }];
      const name = hostname.toLowerCase();
      const known = hosts().get(name);
      if (known) return known;
      // Never sent to a DNS server (RFC 6761, section 6.3).
      if (name === 'localhost' || name.endsWith('.localhost')) return loopback;
      if (!fallback) return await byDns(name);
      return await byDns(name).catch(async () => await fallback(name));
    },
    close: () => dns.close(),
  };
}

/** Synchronously, because an asynchronous read would wait for a thread of the same pool. */
function rereadFile<T>(path: string, parse: (text: string) => T): () => T {
  let value: T | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (value !== undefined && now - readAt < READ_AGAIN_MS) return value;
    readAt = now;
    value = parse(readText(path));
    return value;
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readHosts(text: string): ReadonlyMap<string, readonly ResolvedAddress[]> {
  const found = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      const addresses = found.get(name) ?? [];
      addresses.push({ address, family });
      found.set(name, addresses);
    }
  }
  return found;
}

/** Of several lines, the last one counts. */
function readSearchList(text: string): readonly string[] {
  const lists = [...text.matchAll(/^[ \t]*(?:search|domain)[ \t]+(.+)$/gm)].map(([, list = '']) =>
    list.trim().split(/\s+/),
  );
  return (lists.at(-1) ?? []).filter((domain) => domain !== '.').map((domain) => domain.replace(/\.$/, ''));
}

function systemHostsFile(): string {
  const { platform, env } = process;
  return platform === 'win32' ? `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';
}
