import { errorCodes } from '@patchbay/core';
import { operatorScopes, scopes } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { isProtected } from '../routing.ts';
import { componentSchemas } from '../schemas/components.ts';
import { chooseOperations, operations } from './operations.ts';

const publicPaths = [
  '/.well-known/oauth-protected-resource/mcp',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/docs',
  '/docs/:file',
];

describe('the table of operations', () => {
  it('no operation is public unless it says so', () => {
    for (const { id, scope } of operations) {
      expect(['public', 'authenticated'].includes(scope) || Object.hasOwn(scopes, scope), id).toBe(true);
    }
    expect(operations.filter(({ scope }) => scope === 'public').map(({ path }) => path)).toEqual(publicPaths);
  });

  it('contains each id and each method and path once', () => {
    for (const key of [
      ({ id }: { id: string }) => id,
      ({ method, path }: { method: string; path: string }) => `${method} ${path}`,
    ]) {
      expect(new Set(operations.map(key)).size).toBe(operations.length);
    }
  });

  it('reads with read scopes, writes with write scopes', () => {
    // A dry run that takes a body: it calls no model and changes nothing.
    const readsWithBody = ['explainModels'];
    // Callers who may not make keys have no use for a list of them.
    const ofKeys = ['listKeys', 'listExpiringKeys', 'getKey'];
    for (const { id, method, scope } of operations.filter(isProtected)) {
      // Prompts and outputs take more than the right to read the records of calls.
      if (scope === 'calls:content') continue;
      const reads = !ofKeys.includes(id) && (method === 'GET' || readsWithBody.includes(id));
      expect(scope.endsWith(':read'), id).toBe(reads);
    }
  });

  it('the schema of a key names the scopes that * leaves out', () => {
    const description = componentSchemas.KeyInput.properties?.['scopes']?.description ?? '';
    const named = new Intl.ListFormat('en-GB').format(operatorScopes.map((scope) => `\`${scope}\``));
    expect(description).toContain(`\`*\` is every scope except ${named}.`);
  });

  it('declares the parameters of every path, and nothing that does not exist', () => {
    for (const operation of operations.filter(isProtected)) {
      const names = [...operation.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name);
      expect(Object.keys(operation.params ?? {}), operation.id).toEqual(names);
      for (const code of operation.errors) expect(errorCodes).toHaveProperty(code);
      const { schema, mediaType } = operation.success;
      expect(
        schema === undefined ? mediaType : Object.keys(componentSchemas).includes(schema),
        operation.id,
      ).toBeTruthy();
    }
  });

  it('contains every endpoint of the functions area', () => {
    const lines = operations.map(({ method, path }) => `${method} ${path}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        'GET /functions',
        'GET /functions/:id',
        'POST /functions',
        'PUT /functions/:id',
        'DELETE /functions/:id',
        'POST /functions/:id/execute',
      ]),
    );
  });
});

it('chooseOperations keeps the order of the given operations and ids', () => {
  const [first] = operations;
  if (!first) throw new Error('the table is empty');
  expect(chooseOperations(['executeFunction', first]).map(({ id }) => id)).toEqual(['executeFunction', first.id]);
});

it('an unknown id is a type error, and suggests the nearest one at run time', () => {
  // @ts-expect-error -- TypeScript refuses it
  const misspelt = () => chooseOperations(['executeFunctions']);
  expect(misspelt).toThrow(/^there is no operation executeFunctions; did you mean "executeFunction"\?$/);
  // @ts-expect-error -- TypeScript refuses it
  expect(() => chooseOperations(['run'])).toThrow(/^there is no operation run; there are .*, executeFunction, /);
});
