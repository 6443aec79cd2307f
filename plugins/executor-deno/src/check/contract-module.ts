import type { Schema } from '@patchbay/core/plugin';
import { schemaType } from './schema-type.ts';

/** Global types that the author may use too: what the function takes and returns. */
export function schemaDeclarations(input: Schema, output: Schema): string {
  const exactInput = schemaType(input, { closeness: 'exact', present: 'required or default' });
  const exactOutput = schemaType(output, { closeness: 'exact', present: 'required' });
  return `type Input = ${exactInput};\ntype Output = ${exactOutput};\n`;
}

/** What one line of the contract module is about. */
export type ContractClause = 'parameter' | 'result' | 'extra';

export interface ContractModule {
  readonly text: string;
  /** By line, counted from 0. */
  readonly clauses: ReadonlyMap<number, ContractClause>;
}

/**
 * A module that uses the function as Patchbay does, so that the compiler says where that does not fit. It is lenient
 * where authors are: a parameter may be declared as `{ a: number }` where `a` is optional, and, as methods are compared
 * in both directions, as one of several values that the schema allows.
 */
export function contractModule(input: Schema, output: Schema): ContractModule {
  const lines = [
    "import entry from './function.ts';",
    `type LooseOutput = ${schemaType(output, { closeness: 'loose', present: 'required' })};`,
    `type FullInput = ${schemaType(input, { closeness: 'exact', present: 'all' })};`,
    'interface Takes { call(input: FullInput, context: Context): unknown }',
    'interface Gives { call(...values: any[]): LooseOutput | Promise<LooseOutput> }',
  ];
  const clauses = new Map<number, ContractClause>();
  const addClause = (clause: ContractClause, line: string): void => {
    clauses.set(lines.length, clause);
    lines.push(line);
  };
  addClause('parameter', 'export const takes: Takes = { call: entry };');
  addClause('result', 'export const gives: Gives = { call: entry };');
  if (output.additionalProperties === false) {
    const names = Object.keys(output.properties ?? {}).map((name) => JSON.stringify(name));
    lines.push('type Given = Awaited<ReturnType<typeof entry>>;');
    lines.push(
      `type Extra = string extends keyof Given ? never : Exclude<keyof Given, ${names.join(' | ') || 'never'}>;`,
    );
    addClause('extra', 'export const extra: [Extra] extends [never] ? true : Extra = true;');
  }
  return { text: lines.join('\n'), clauses };
}
