import { lookup as systemLookup } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });
