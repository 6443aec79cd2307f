import type { Schema } from '../../contracts/json-schema.ts';
import type { MountedTool } from '../../tools/admit-tools.ts';
import type { DeclaredFunction } from './declare-functions.ts';

/** A tool as code sees it: without an output schema, it returns a string. */
export function declaredTool({ id, description = '', input, output = text }: MountedTool): DeclaredFunction {
  return { callName: id, name: id, description, input, output };
}

const text: Schema = { type: 'string' };
