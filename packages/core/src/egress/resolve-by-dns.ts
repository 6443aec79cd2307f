import { Resolver } from 'node:dns/promises';
import type { Resolve, ResolvedAddress } from './resolve.ts';

export interface DnsOptions {
  /** `address:port`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Milliseconds for one question to one server. Default 2,000. */
  readonly timeoutMs?: number;
}

export interface DnsResolver {
  readonly resolve: Resolve;
  /** Give up every question that has no answer yet. */
  close(): void;
}

/**
 * Asks DNS itself. The system's own look-up keeps one of four threads for as long as a server takes to answer: whoever
 * has a name that is never answered could keep everybody else from connecting.
 */
export function createDnsResolver({ servers, timeoutMs = 2_000 }: DnsOptions = {}): DnsResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const resolve: Resolve = async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer, index): ResolvedAddress[] =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    // That there is no address of one family says less than that the other could not be asked for.
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    throw errors.find((error) => !hasNoAddress(error)) ?? errors[0];
  };
  return { resolve, close: () => resolver.cancel() };
}

/** Whether DNS has answered, and said that there is no address. */
export function hasNoAddress(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}
