import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { parseIntoClientConfig } from 'pg-connection-string';

/** How to reach the server, as the config names it. */
export interface Address {
  readonly url?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?:
    | {
        readonly ca?: string | undefined;
        readonly cert?: string | undefined;
        readonly key?: string | undefined;
        readonly servername?: string | undefined;
        readonly rejectUnauthorized: boolean;
      }
    | undefined;
}

/** What the driver takes. */
export interface DriverAddress {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  readonly ssl?: boolean | TlsOptions;
}

/**
 * The parts of the url, under those that are given by themselves.
 *
 * @throws Error where the url is none, without repeating it: it holds a password.
 */
export function driverAddress({ url, tls, ...parts }: Address): DriverAddress {
  const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const fromUrl = url === undefined ? {} : parseUrl(url);
  const address = { ...fromUrl, ...given };
  if (tls === undefined) return address;
  const ssl = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  return { ...address, ssl };
}

function parseUrl(url: string): DriverAddress {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error('the url of the database must begin with postgresql://');
  try {
    const { host, port, database, user, password, ssl } = parseIntoClientConfig(url);
    const parts = { host, port, database, user, password, ssl };
    return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''));
  } catch {
    throw new Error('the url of the database cannot be read: percent-encode what is special in its parts');
  }
}
