import { eventKinds, gatewayRequestSchemas, usageGroupings } from '@patchbay/core';
import { scopes } from '@patchbay/core/plugin';
import { finishReasons, modelCapabilities } from '@patchbay/core/provider';
import { budgetPeriods, deliveryStates, disabledReasons, executionStatuses } from '@patchbay/core/storage';
import anthropic from './anthropic.json' with { type: 'json' };
import audit from './audit.json' with { type: 'json' };
import calls from './calls.json' with { type: 'json' };
import datasets from './datasets.json' with { type: 'json' };
import executions from './executions.json' with { type: 'json' };
import experiments from './experiments.json' with { type: 'json' };
import feedback from './feedback.json' with { type: 'json' };
import fragments from './fragments.json' with { type: 'json' };
import functions from './functions.json' with { type: 'json' };
import gateway from './gateway.json' with { type: 'json' };
import keys from './keys.json' with { type: 'json' };
import mcp from './mcp.json' with { type: 'json' };
import openai from './openai.json' with { type: 'json' };
import schedules from './schedules.json' with { type: 'json' };
import sessions from './sessions.json' with { type: 'json' };
import settings from './settings.json' with { type: 'json' };
import system from './system.json' with { type: 'json' };
import tenants from './tenants.json' with { type: 'json' };
import usage from './usage.json' with { type: 'json' };
import webhooks from './webhooks.json' with { type: 'json' };

/** A JSON Schema of the OpenAPI document; the named members are used by the reference page. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: SchemaObject;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** The lists of the core that an `enum` names. */
const lists: Readonly<Record<string, readonly unknown[]>> = {
  budgetPeriods,
  deliveryStates,
  disabledReasons: [...disabledReasons, null],
  eventKinds: [...Object.keys(eventKinds), '*'],
  executionStatuses,
  finishReasons,
  modelCapabilities,
  scopes: [...Object.keys(scopes), '*'],
  usageGroupings,
};

const stream = {
  type: 'boolean',
  default: false,
  description: 'Answer with server-sent events: `start`, `delta`, and `done` with the whole result, or `error`.',
} as const;

/** The request, with the option of a streamed response. */
const streamable = <S extends { readonly properties: object }>(schema: S) => ({
  ...schema,
  properties: { ...schema.properties, stream },
});

const written = {
  ...functions,
  ...executions,
  ...gatewayRequestSchemas,
  GenerateRequest: streamable(gatewayRequestSchemas.GenerateRequest),
  ChatRequest: streamable(gatewayRequestSchemas.ChatRequest),
  FunctionCallRequest: streamable(gatewayRequestSchemas.FunctionCallRequest),
  ...gateway,
  ...openai,
  ...anthropic,
  ...mcp,
  ...keys,
  ...sessions,
  ...tenants,
  ...feedback,
  ...audit,
  ...settings,
  ...experiments,
  ...datasets,
  ...schedules,
  ...calls,
  ...usage,
  ...webhooks,
  ...system,
};

export type SchemaName = keyof typeof written;

/**
 * Every named schema of the OpenAPI document. In the files, a string in place of a member names one that is defined elsewhere:
 * a fragment, or a member of another schema such as `Key.name`. In place of an `enum`, it names a list.
 */
export const componentSchemas = mapMembers(written, expanded) as Readonly<Record<SchemaName, SchemaObject>>;

function mapMembers(object: object, map: (member: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member, name)]));
}

function expanded(schema: unknown): unknown {
  if (typeof schema === 'string') return expanded(schemaAt(schema));
  return mapMembers(schema as object, (value, keyword) => {
    if (keyword === 'properties') return mapMembers(value as object, expanded);
    if (keyword === 'enum') return typeof value === 'string' ? found(lists, value) : value;
    if (keyword === 'anyOf') return (value as readonly unknown[]).map(expanded);
    const isSchema = typeof value === 'object' && !Array.isArray(value) && keyword !== 'default';
    return isSchema ? expanded(value) : value;
  });
}

function schemaAt(place: string): unknown {
  const [name = '', member] = place.split('.');
  const schemas: Readonly<Record<string, { readonly properties?: object }>> = written;
  const among: object | undefined = member === undefined ? fragments : schemas[name]?.properties;
  return found(among as Readonly<Record<string, unknown>> | undefined, member ?? name);
}

function found<T>(among: Readonly<Record<string, T>> | undefined, name: string): T {
  const value = among?.[name];
  if (value === undefined) throw new Error(`no schema and no list is called ${name}`);
  return value;
}
