import type { FunctionInput, Schema, Function as StoredFunction } from '../../api/operations.generated.ts';

/** A function as it is being written: schemas are text that may not be JSON yet. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly code: string;
  readonly input: string;
  readonly output: string;
}

export const emptyDraft: Draft = {
  name: '',
  description: '',
  code: `export default function ({ text }) {
  console.log('words are counted');
  return { words: text.split(/\\s+/).length };
}
`,
  input: schemaText({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
  output: schemaText({ type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] }),
};

export function draftOf({ name, description, code, input, output }: StoredFunction): Draft {
  return { name, description, code, input: schemaText(input), output: schemaText(output) };
}

/** @throws Error naming the schema that is not JSON. */
export function inputOf({ name, description, code, input, output }: Draft): FunctionInput {
  return {
    name,
    description,
    code,
    input: schemaOf(input, 'the input schema'),
    output: schemaOf(output, 'the output schema'),
  };
}

/** @throws Error if the text is not JSON. */
export function schemaOf(text: string, what: string): Schema {
  try {
    return JSON.parse(text) as Schema;
  } catch {
    throw new Error(`${what} is not valid JSON`);
  }
}

function schemaText(schema: Schema): string {
  return JSON.stringify(schema, null, 2);
}
