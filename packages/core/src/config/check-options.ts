import { Ajv } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import type { ConfigPath } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { copyTree } from './copy-tree.ts';
import { describeFault } from './describe-fault.ts';

export interface CheckedOptions {
  /** A copy, with defaults filled in. */
  readonly value: object;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Check options against a schema; `owner` names in messages whose options they are.
 *
 * @throws Error where the schema itself cannot be used.
 */
export function checkOptions(schema: ConfigSchema, options: object, path: ConfigPath, owner?: string): CheckedOptions {
  const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false, logger: false, ownProperties: true });
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  const root: OptionSchema = { type: 'object', ...schema };
  const validate = ajv.compile(closed(root));
  const value = copyTree(options) as object;
  if (validate(value)) return { value, problems: [] };
  const problems = (validate.errors ?? []).map((fault) => describeFault(fault, { schema: root, value, path, owner }));
  return { value, problems: problems.filter((problem) => problem !== undefined) };
}

/** An object with declared properties takes no others, unless its schema says so: a typo must not pass silently. */
function closed(schema: OptionSchema): OptionSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, option]) => [name, closed(option)])),
      additionalProperties: false,
    }),
    ...(items && { items: closed(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? closed(additionalProperties) : additionalProperties,
    }),
  };
}
