import { type KeyInput, type Operator, PatchbayError } from '@patchbay/core';
import { scopes as allScopes } from '@patchbay/core/plugin';
import type { ApiKeyRow } from '@patchbay/core/storage';
import type { Action } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { confirmed } from './input.ts';
import { type OperatorOptions, operate } from './operate.ts';
import { counted, printResult, printRows } from './output.ts';

interface CreateOptions extends OperatorOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly ip?: readonly string[];
  readonly function?: readonly string[];
  readonly expires?: string;
  readonly rate?: KeyInput['rateLimit'];
  readonly budget?: KeyInput['budget'];
  readonly yes?: boolean;
}

const PAGE = 100;

const actorOf = (operator: Operator, { tenant = 'default' }: OperatorOptions) => operator.actorFor(tenant);

export const create: Action<CreateOptions> = (context, options) => {
  const { output } = context;
  const work = async (operator: Operator): Promise<undefined> => {
    const { tenant = 'default' } = options;
    const made = await operator.keys.create(keyInput(options), actorOf(operator, options)).catch(explainFaults);
    output.note(`made ${made.row.id} for the tenant ${tenant}; its secret is shown this once`);
    printResult(output, options, { ...shown(made.row), key: made.key }, made.key);
  };
  return operate(context, options, work, {
    async admit({ file, isNew }) {
      output.note(`storage: ${file}, of the built-in config: there is no config file here`);
      const question = 'This storage does not exist. Make it, and the key in it?';
      return !isNew || (await confirmed(context, { yes: options.yes, question, otherwise: 'nothing was made' }));
    },
  });
};

export const rotate: Action<OperatorOptions & { readonly grace: number }, [id: string]> = (context, options, id) =>
  operate(context, options, async (operator) => {
    const { row, key } = await operator.keys.rotate(id, options.grace, actorOf(operator, options));
    const until = row.previousUntil;
    const before = until === null ? 'the secret before ends now' : `the secret before is accepted until ${until}`;
    context.output.note(`${id} has a new secret, shown this once; ${before}`);
    printResult(context.output, options, { ...shown(row), key }, key);
  });

export const revoke: Action<OperatorOptions & { readonly yes?: boolean }, [id: string]> = async (
  context,
  options,
  id,
) => {
  const question = `Refuse ${id} from now on, for good?`;
  const { yes } = options;
  if (!(await confirmed(context, { yes, question, otherwise: 'nothing was revoked' }))) return exitCodes.failure;
  return await operate(context, options, async (operator) => {
    const row = await operator.keys.revoke(id, actorOf(operator, options));
    context.output.note(`${id} was revoked at ${row.revokedAt}`);
    if (options.json) context.output.result(JSON.stringify(shown(row)));
  });
};

export const list: Action<OperatorOptions> = (context, options) =>
  operate(context, options, async (operator) => {
    let cursor: string | undefined;
    const all: ApiKeyRow[] = [];
    do {
      const page = { limit: PAGE, offset: 0, sort: 'createdAt', order: 'desc', ...(cursor && { cursor }) } as const;
      const { rows, nextCursor } = await operator.keys.list(page, actorOf(operator, options));
      all.push(...rows);
      cursor = nextCursor;
    } while (cursor !== undefined);
    printRows(context.output, options, all.map(shown), line);
    context.output.note(`${counted(all.length, 'key')} of the tenant ${options.tenant ?? 'default'}`);
  });

function keyInput({ name, scope, ip, function: functions, expires, rate, budget }: CreateOptions): KeyInput {
  if (!/^[^\p{Cc}]{1,200}$/u.test(name)) throw new TypeError('--name must have 1 to 200 characters');
  const unknown = scope.find((each) => each !== '*' && !Object.hasOwn(allScopes, each));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is not a scope; there are ${Object.keys(allScopes).join(', ')} and *`);
  }
  return {
    name,
    scopes: scope as KeyInput['scopes'],
    ...(expires !== undefined && { expiresAt: expires }),
    ...(ip && { ipAddresses: ip }),
    ...(functions && { functions }),
    ...(rate && { rateLimit: rate }),
    ...(budget && { budget }),
  };
}

/** A key without anything that would help others guess its secret. */
function shown(row: ApiKeyRow) {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, rotatedAt } = row;
  const { ipAddresses, functions, rateLimit, budget } = row;
  const limits = { ipAddresses, functions, rateLimit, budget };
  return { id, name, scopes, createdAt, expiresAt, revokedAt, ...limits, lastUsedAt, rotatedAt };
}

function line(key: ReturnType<typeof shown>): readonly string[] {
  const { id, name, scopes, expiresAt, revokedAt, lastUsedAt, ipAddresses, functions, rateLimit, budget } = key;
  const end = expiresAt === null ? 'active' : `${Date.parse(expiresAt) <= Date.now() ? 'ended' : 'until'} ${expiresAt}`;
  const limits = [
    ...(ipAddresses === null ? [] : [`from ${ipAddresses.join(',')}`]),
    ...(functions === null ? [] : [counted(functions.length, 'function')]),
    ...(rateLimit === null ? [] : [`${rateLimit.requests}/${rateLimit.seconds}:${rateLimit.burst}`]),
    ...(budget === null ? [] : [`${budget.usd} USD/${budget.period}`]),
  ];
  const state = revokedAt === null ? end : 'revoked';
  const named = JSON.stringify(name);
  return [id, state, lastUsedAt ?? 'never used', scopes.join(' '), limits.join(' ') || 'no limits', named];
}

const optionNames: Readonly<Record<string, string>> = {
  expiresAt: '--expires',
  ipAddresses: '--ip',
  functions: '--function',
  scopes: '--scope',
  rateLimit: '--rate',
  budget: '--budget',
};

/** Throw the faults of a request body in terms of the options that were typed. */
function explainFaults(error: unknown): never {
  if (!PatchbayError.is(error) || error.errors.length === 0) throw error;
  const faults = error.errors.map(
    ({ pointer, detail }) => `${optionNames[pointer.split('/')[1] ?? ''] ?? pointer} ${detail}`,
  );
  throw new UsageError(faults.join('\n'));
}
