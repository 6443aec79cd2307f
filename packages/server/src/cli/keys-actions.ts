import { type KeyInput, type Operator, PatchbayError } from '@patchbay/core';
import { scopes as allScopes } from '@patchbay/core/plugin';
import type { ApiKeyRow } from '@patchbay/core/storage';
import { UsageError } from './cli-failure.ts';
import type { Output } from './output.ts';
import { counted, table } from './output.ts';

/** The options of `patchbay keys`, as they were given. */
export interface KeysOptions {
  readonly tenant: string;
  readonly json: boolean;
  readonly name: string | undefined;
  readonly scope: readonly string[];
  readonly ip: readonly string[];
  readonly expires: string | undefined;
  readonly rate: KeyInput['rateLimit'] | undefined;
  readonly budget: KeyInput['budget'] | undefined;
  /** Seconds. */
  readonly grace: number | undefined;
}

type KeysAction = (operator: Operator, output: Output, options: KeysOptions, id: string) => Promise<number>;

const PAGE = 100;
const MAX_GRACE_SECONDS = 86_400;

const create: KeysAction = async (operator, output, options) => {
  const { row, key } = await operator.keys.create(keyInput(options), operator.actorFor(options.tenant));
  return show(
    output,
    options,
    { row, key },
    `made ${row.id} for the tenant ${options.tenant}; its secret is shown this once`,
  );
};

const rotate: KeysAction = async (operator, output, options, id) => {
  const seconds = options.grace ?? MAX_GRACE_SECONDS;
  const rotated = await operator.keys.rotate(id, seconds, operator.actorFor(options.tenant));
  const until = rotated.row.previousUntil;
  const before = until === null ? 'the secret before ends now' : `the secret before is accepted until ${until}`;
  return show(output, options, rotated, `${id} has a new secret, shown this once; ${before}`);
};

const revoke: KeysAction = async (operator, output, options, id) => {
  const row = await operator.keys.revoke(id, operator.actorFor(options.tenant));
  output.note(`${id} was revoked at ${row.revokedAt}`);
  if (options.json) output.result(JSON.stringify(shown(row)));
  return 0;
};

const list: KeysAction = async (operator, output, { tenant, json }) => {
  const actor = operator.actorFor(tenant);
  let cursor: string | undefined;
  const all: ApiKeyRow[] = [];
  do {
    const page = { limit: PAGE, offset: 0, sort: 'createdAt', order: 'desc', ...(cursor && { cursor }) } as const;
    const { rows, nextCursor } = await operator.keys.list(page, actor);
    all.push(...rows);
    cursor = nextCursor;
  } while (cursor !== undefined);
  if (json) for (const row of all) output.result(JSON.stringify(shown(row)));
  else for (const text of table(all.map(line))) output.result(text);
  output.note(`${counted(all.length, 'key')} of the tenant ${tenant}`);
  return 0;
};

export const keysActions: Readonly<Record<string, KeysAction>> = { create, list, rotate, revoke };

function keyInput({ name, scope, ip, expires, rate, budget }: KeysOptions): KeyInput {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name)) throw new TypeError('--name has 1 to 200 characters');
  if (scope.length === 0) throw new TypeError('--scope is needed, once for each scope; "*" is everything');
  const unknown = scope.find((each) => each !== '*' && !Object.hasOwn(allScopes, each));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is not a scope; there are ${Object.keys(allScopes).join(', ')} and *`);
  }
  return {
    name,
    scopes: scope as KeyInput['scopes'],
    ...(expires !== undefined && { expiresAt: expires }),
    ...(ip.length > 0 && { ipAddresses: ip }),
    ...(rate && { rateLimit: rate }),
    ...(budget && { budget }),
  };
}

function show(
  output: Output,
  { json }: KeysOptions,
  made: { readonly row: ApiKeyRow; readonly key: string },
  note: string,
): 0 {
  output.note(note);
  output.result(json ? JSON.stringify({ ...shown(made.row), key: made.key }) : made.key);
  return 0;
}

function shown(row: ApiKeyRow) {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, rotatedAt } = row;
  const { ipAddresses, rateLimit, budget } = row;
  return { id, name, scopes, createdAt, expiresAt, revokedAt, ipAddresses, rateLimit, budget, lastUsedAt, rotatedAt };
}

function line(row: ApiKeyRow): readonly string[] {
  const { id, name, scopes, expiresAt, revokedAt, lastUsedAt, ipAddresses, rateLimit, budget } = row;
  const end = expiresAt === null ? 'active' : `${Date.parse(expiresAt) <= Date.now() ? 'ended' : 'until'} ${expiresAt}`;
  const limits = [
    ...(ipAddresses === null ? [] : [`from ${ipAddresses.join(',')}`]),
    ...(rateLimit === null ? [] : [`${rateLimit.requests}/${rateLimit.seconds}:${rateLimit.burst}`]),
    ...(budget === null ? [] : [`${budget.usd} USD/${budget.period}`]),
  ];
  const state = revokedAt === null ? end : 'revoked';
  return [
    id,
    state,
    lastUsedAt ?? 'never used',
    scopes.join(' '),
    limits.join(' ') || 'no limits',
    JSON.stringify(name),
  ];
}

/** Faults of a request body, in terms of the options that were typed. */
export function explainFaults(error: unknown): unknown {
  if (!PatchbayError.is(error) || error.errors.length === 0) return error;
  const options: Readonly<Record<string, string>> = {
    expiresAt: '--expires',
    ipAddresses: '--ip',
    scopes: '--scope',
    rateLimit: '--rate',
    budget: '--budget',
  };
  return new UsageError(
    error.errors
      .map(({ pointer, detail }) => `${options[pointer.split('/')[1] ?? ''] ?? pointer} ${detail}`)
      .join('\n'),
  );
}
