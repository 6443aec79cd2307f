import { isTenantId } from '../contracts/tenant.ts';
import { isAddressRange } from '../egress/address-range.ts';
import { parseHostPattern } from '../functions/host-calls/fetch/host-pattern.ts';
import type { FunctionGrant } from '../functions/host-calls/function-grant.ts';
import type { AppConfig } from './app-config.ts';
import { type ConfigPath, isPlainObject } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';

/** Shorter ones could not be told from other text where an answer has to be cleaned of them. */
const LEAST_SECRET_LENGTH = 8;

const HOST = 'is no host: write api.acme.com, *.acme.com, api.acme.com:8443 or http://127.0.0.1:9000';
const RANGE = 'must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8';
const TENANT = 'is no tenant: 1 to 128 letters, digits or ._:@|-, not beginning with patchbay:';
const NAME = 'is no name for a secret: letters, digits and "_", no digit first, and not "get"';
const VALUE = `is no secret that can be sent: at least ${LEAST_SECRET_LENGTH} visible characters of ASCII, on one line`;

/** What the schema of a config cannot say about its grants. What is of the wrong shape has been reported already. */
export function grantProblems({ functions }: AppConfig): readonly ConfigProblem[] {
  const grants: unknown = isPlainObject(functions) ? functions['grants'] : undefined;
  return Array.isArray(grants)
    ? grants.flatMap((grant: unknown, index) =>
        isPlainObject(grant) ? problemsOf(grant as Partial<FunctionGrant>, ['functions', 'grants', index]) : [],
      )
    : [];
}

function problemsOf(grant: Partial<FunctionGrant>, path: ConfigPath): readonly ConfigProblem[] {
  const { tenants, hosts, addresses, secrets } = grant;
  return [
    ...unfit(tenants, isTenantId, [...path, 'tenants'], TENANT),
    ...unfit(hosts, isHost, [...path, 'hosts'], HOST),
    ...unfit(addresses, isAddressRange, [...path, 'addresses'], RANGE),
    ...Object.entries(isPlainObject(secrets) ? secrets : {}).flatMap(([name, secret]) => [
      ...secretProblems(name, secret, [...path, 'secrets', name]),
    ]),
  ];
}

function* secretProblems(name: string, secret: unknown, path: ConfigPath): Generator<ConfigProblem> {
  if (!/^[a-z_]\w{0,99}$/i.test(name) || name === 'get') yield problem(path, NAME);
  if (!isPlainObject(secret)) return;
  const { value, hosts } = secret as { readonly value?: unknown; readonly hosts?: unknown };
  if (typeof value === 'string' && !isSendable(value)) yield problem([...path, 'value'], VALUE);
  yield* unfit(hosts, isHost, [...path, 'hosts'], HOST);
}

function unfit(
  texts: unknown,
  fits: (text: string) => boolean,
  path: ConfigPath,
  message: string,
): readonly ConfigProblem[] {
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((text: unknown, index) =>
    typeof text === 'string' && !fits(text) ? [problem([...path, index], message)] : [],
  );
}

const isHost = (text: string): boolean => parseHostPattern(text) !== undefined;

const isSendable = (text: string): boolean => text.length >= LEAST_SECRET_LENGTH && /^[\u0021-\u007e]+$/.test(text);

const problem = (path: ConfigPath, message: string): ConfigProblem => ({ path, code: 'invalid_grant', message });
