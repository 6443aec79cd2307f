import type { Schema } from '../../packages/contracts/src/json-schema.ts';
import { type Role, typeText } from '../../packages/core/src/functions/types/schema-type.ts';
import type { Operation } from '../../packages/http/src/operation.ts';
import { isProtected, type QueryParameters, scopesOf } from '../../packages/http/src/routing.ts';
import { componentSchemas, type SchemaName } from '../../packages/http/src/schemas/components.ts';
import { connectedClients } from '../../packages/server/src/cli/client-setup/snippets.ts';

const names = new Map(Object.keys(componentSchemas).map((name) => [name, name]));

/** The types of the API as the console imports them, and where each operation is. */
export function consoleApi(operations: readonly Operation[]): string {
  return [
    '// Written by `vitest run scripts/console-api -u` from the table of operations.',
    '',
    ...Object.keys(componentSchemas).map(
      (name) => `export type ${name} = ${schemaType(name as SchemaName, 'output')};\n`,
    ),
    '/** Parameters, body and response of each operation. */',
    'export interface Operations {',
    ...operations.map((operation) => `  ${operation.id}: { ${partsOf(operation).join('; ')} };`),
    '}',
    '',
    '/** Area, method, path and scopes of each operation. */',
    'export const routes: Readonly<Record<keyof Operations, string>> = {',
    ...operations.map((operation) => `  ${operation.id}: ${JSON.stringify(routeOf(operation))},`),
    '};',
    '',
    '/** The values that the API knows, in its order. */',
    `export const lists = ${JSON.stringify(listsOf(operations), undefined, 2)} as const;`,
    '',
  ].join('\n');
}

/** The snippets that connect the clients of other vendors, as `patchbay connect` prints them: `SERVER_URL` stands for the address. */
export function consoleSnippets(): string {
  const snippets = Object.fromEntries(
    Object.entries(connectedClients).map(([name, { install, snippet }]) => [
      name,
      { install, code: snippet({ url: 'SERVER_URL', model: undefined }) },
    ]),
  );
  return [
    '// Written by `vitest run scripts/console-api -u` from the snippets of `patchbay connect`.',
    '',
    `export const snippets = ${JSON.stringify(snippets, undefined, 2)} as const;`,
    '',
  ].join('\n');
}

/** Values that people choose from in the console. */
function listsOf(operations: readonly Operation[]): object {
  const audit = operations.find(({ id }) => id === 'listAuditEntries');
  const { action } = (audit && isProtected(audit) ? audit.query : {}) as QueryParameters;
  return {
    scopes: membersOf('KeyInput', 'scopes'),
    eventKinds: membersOf('WebhookInput', 'events'),
    auditActions: action && 'enum' in action ? action.enum : [],
  };
}

/** The values that the members of a list can have. */
function membersOf(schema: SchemaName, name: string): unknown {
  const { properties } = componentSchemas[schema] as Schema;
  const items = (properties?.[name] as Schema | undefined)?.items as Schema | undefined;
  return items?.enum;
}

function routeOf(operation: Operation): string {
  const scopes = isProtected(operation) ? scopesOf(operation) : [];
  return [operation.area, operation.method, operation.path, ...scopes].join(' ');
}

function partsOf(operation: Operation): string[] {
  const { params = {}, success } = operation;
  const path = Object.keys(params).map((name) => `${name}: string`);
  const { query = {}, body } = isProtected(operation) ? operation : { body: undefined };
  const parameters = Object.entries(query as QueryParameters).map(([name, { type, ...rest }]) => {
    const schema = { type, ...('enum' in rest && { enum: rest.enum }) } as Schema;
    return `${name}?: ${typeText(schema, { role: 'input', names })}`;
  });
  return [
    `path: { ${path.join('; ')} }`,
    `query: { ${parameters.join('; ')} }`,
    `body: ${body ? schemaType(body.schema, 'input') : 'undefined'}`,
    `response: ${success.schema ?? 'unknown'}`,
  ];
}

function schemaType(name: SchemaName, role: Role): string {
  const text = JSON.stringify(componentSchemas[name]).replaceAll('"#/components/schemas/', '"#/$defs/');
  return typeText(JSON.parse(text) as Schema, { role, names });
}
