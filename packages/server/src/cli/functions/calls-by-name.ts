import { APIError } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { type OperatorOptions, operate } from '../operate.ts';
import { printResult } from '../output.ts';
import { ask, clientOf, listAll, namesServer, type RemoteOptions } from '../remote.ts';
import { findStored } from './stored-functions.ts';

// Names as calls resolve them, on a server or in the storage of the config: a name is observed before it is stored.

type EitherOptions = RemoteOptions & OperatorOptions;

/** Store a function with a name that was called although no function has it. */
export const promote: Action<EitherOptions, [name: string]> = async (context, options, name) => {
  const { output, signal } = context;
  const { tenant = 'default' } = options;
  if (!namesServer(options, context)) {
    return await operate(context, options, async (operator) => {
      const { id, input, output: result } = await operator.functions.promote(name, tenant);
      printResult(output, options, { id, name, input, output: result }, id);
      output.note(`${name} is a function of the tenant ${tenant} now; a model does its work`);
    });
  }
  const client = clientOf(options, context);
  const observed = listAll<{ readonly id: string; readonly name: string }>(client, '/observed-names', signal);
  for await (const each of observed) {
    if (each.name !== name) continue;
    const request = { method: 'POST', path: `/observed-names/${each.id}/promote` } as const;
    const made = await ask<{ readonly id: string }>(context, options, request);
    printResult(output, options, made, made.id);
    output.note(`${name} is a function now; a model does its work`);
    return;
  }
  const detail = `${JSON.stringify(name)} is not among the observed names`;
  throw new APIError(404, { code: 'observed_name_not_found', detail });
};

interface ExplainedSetting {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
}

/** The settings that a call of the function would use, each with its source. */
export const explain: Action<EitherOptions, [name: string]> = async (context, options, name) => {
  const { output, signal } = context;
  const print = (settings: readonly ExplainedSetting[], note: string): undefined => {
    for (const { name: setting, value, source } of settings) {
      const text = `${setting} = ${JSON.stringify(value)}  (${source})`;
      printResult(output, options, { name: setting, value, source }, text);
    }
    output.note(note);
  };
  if (namesServer(options, context)) {
    const id = await findStored(clientOf(options, context), name, signal);
    const request = { method: 'GET', path: `/functions/${id}/settings/explain` } as const;
    const { data } = await ask<{ readonly data: readonly ExplainedSetting[] }>(context, options, request);
    return print(data, `used by ${id}`);
  }
  const { tenant = 'default' } = options;
  return await operate(context, options, async (operator) => {
    const { functionId: id, settings } = await operator.functions.explain(name, tenant);
    return print(settings, id === undefined ? `no function of the tenant ${tenant} has this name` : `used by ${id}`);
  });
};
