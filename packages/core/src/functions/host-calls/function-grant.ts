/** Hosts and secrets for some functions. */
export interface FunctionGrant {
  /** Ids or names; `*` stands for any characters. A name is for whoever may write functions of the tenant to choose. */
  readonly functions: readonly string[];
  /** The tenants whose functions are meant. Default `default`. */
  readonly tenants?: readonly string[];
  /** Where requests may go: `api.acme.com`, `*.acme.com`, `http://127.0.0.1:9000`. Without a protocol it is https. */
  readonly hosts?: readonly string[];
  /** Ranges that these hosts may have addresses in, beside those of the public internet: `10.1.0.0/16`. */
  readonly addresses?: readonly string[];
  /** Secrets that may be sent in headers, by the name that code knows them by. Code never sees the value. */
  readonly secrets?: Readonly<Record<string, FunctionSecret>>;
}

export interface FunctionSecret {
  readonly value: string;
  /** Where it may be sent, written as `hosts` of the grant are. */
  readonly hosts: readonly string[];
}
