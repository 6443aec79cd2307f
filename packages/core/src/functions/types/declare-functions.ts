import type { Schema } from '@patchbay/contracts/json-schema';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import { commentText, keyText, type Role, typeText } from './schema-type.ts';

/** A function, and the name that code calls it by. */
export interface DeclaredFunction extends Pick<FunctionRow, 'name' | 'description' | 'input' | 'output'> {
  readonly callName: string;
}

export interface FunctionDeclarations {
  /** The interface `Functions`, with a method for each function. */
  readonly functions: string;
  /** The types by which schemas refer to themselves, if there are any. */
  readonly definitions: readonly string[];
}

interface MethodForm {
  /** `value`: a method returns the output. `promise`: it returns a promise of it. */
  readonly result: 'value' | 'promise';
  /** Further parameters, after the input. */
  readonly more?: string;
}

/** TypeScript declarations of functions, by their schemas. */
export function declareFunctions(
  functions: readonly DeclaredFunction[],
  result: MethodForm['result'],
): FunctionDeclarations {
  const definitions: string[] = [];
  const members = functions.map((each) => declareMethod(each, { result }, definitions));
  const text =
    members.length === 0
      ? 'type Functions = Record<never, never>;\n'
      : `interface Functions {\n${members.join('\n')}\n}\n`;
  return { functions: text, definitions };
}

/**
 * The method of an interface by which code calls a function.
 *
 * @param definitions Takes the types by which schemas of the function refer to themselves.
 */
export function declareMethod(typed: DeclaredFunction, { result, more }: MethodForm, definitions: string[]): string {
  const { callName, name, description } = typed;
  const [input, output] = [resolvedSchema(typed.input), resolvedSchema(typed.output)];
  const typeOf = (schema: Schema, role: Role): string => {
    const own = definedTypes(schema, role, definitions.length);
    definitions.push(...own.texts);
    return typeText(schema, { role, names: own.names }, '  ');
  };
  const about = commentText(description === '' ? name : `${name}: ${description}`);
  const optional = needsNothing(input) ? '?' : '';
  const given = `(input${optional}: ${typeOf(input, 'input')}${more === undefined ? '' : `, ${more}`})`;
  const returned = typeOf(output, 'output');
  return `  /** ${about} */\n  ${keyText(callName)}${given}: ${result === 'promise' ? `Promise<${returned}>` : returned};`;
}

/** The types by which a schema refers to itself, each under a unique name. */
function definedTypes({ $defs = {} }: Schema, role: Role, count: number) {
  const names = new Map(Object.keys($defs).map((name, index) => [name, `${name}${count + index + 1}`]));
  const texts = Object.entries($defs).map(
    ([name, schema]) => `type ${names.get(name)} = ${typeText(schema, { role, names })};`,
  );
  return { names, texts };
}

function needsNothing({ properties = {}, required = [] }: Schema): boolean {
  return required.every((name) => Object.hasOwn(properties, name) && properties[name]?.default !== undefined);
}
