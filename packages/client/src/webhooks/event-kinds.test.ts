import { fileURLToPath } from 'node:url';
import { eventKinds } from '@patchbay/core';
import ts from 'typescript-6';
import { expect, it } from 'vitest';

// The types that receivers write against, and the schemas that servers publish, agree.

const file = fileURLToPath(new URL('./webhook-event.ts', import.meta.url));

/** A type as JSON Schema, as far as events need it. */
function describeType(checker: ts.TypeChecker, type: ts.Type): unknown {
  if (type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)) {
    const parts = type.types.filter((part) => !(part.flags & ts.TypeFlags.Null));
    const values = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
    if (values.length === parts.length) return { enum: values.sort() };
    const [only] = parts;
    return parts.length === 1 && only ? { nullable: describeType(checker, only) } : 'a union';
  }
  if (type.flags & ts.TypeFlags.String) return 'string';
  if (type.flags & ts.TypeFlags.Number) return 'number';
  if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
  const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  if (element) return [describeType(checker, element)];
  return Object.fromEntries(
    checker.getPropertiesOfType(type).map((property) => {
      expect(property.flags & ts.SymbolFlags.Optional, property.name).toBe(0);
      return [property.name, describeType(checker, checker.getTypeOfSymbol(property))];
    }),
  );
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function describeSchema({ type = '', enum: values, items, properties = {}, required }: Schema): unknown {
  if (values) return { enum: [...values].sort() };
  if (typeof type !== 'string') return { nullable: describeSchema({ type: type[0] ?? '' }) };
  if (type === 'array') return [describeSchema(items ?? {})];
  if (type !== 'object') return type === 'integer' ? 'number' : type;
  expect([...(required ?? [])].sort()).toEqual(Object.keys(properties).sort());
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, describeSchema(schema)]));
}

it('every kind of event has the type that its schema describes', () => {
  const program = ts.createProgram([file], { strict: true, noEmit: true, types: [] });
  const checker = program.getTypeChecker();
  const declaration = program
    .getSourceFile(file)
    ?.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === 'EventData');
  if (!declaration) throw new Error('EventData is gone');
  const typed = describeType(checker, checker.getTypeAtLocation(declaration));
  const published = Object.entries(eventKinds).map(([kind, { data }]) => [kind, describeSchema(data as Schema)]);
  expect(typed).toEqual(Object.fromEntries(published));
});
