import { Ajv, type Options } from 'ajv';
import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import { coerce } from './coerce.ts';
import { type ConfigPath, pathPointer } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { describeFault } from './describe-fault.ts';
import { optionFormats } from './option-formats.ts';

export interface CheckedOptions {
  /** A copy, with defaults filled in. */
  readonly value: object;
  readonly problems: readonly ConfigProblem[];
}

export interface OptionsContext {
  /** Whose options these are, for messages. */
  readonly owner?: string | undefined;
  /** Pointers of the texts that were put together, which may become numbers and booleans. */
  readonly interpolated?: ReadonlySet<string> | undefined;
}

/**
 * Check options against a schema.
 *
 * @throws Error where the schema itself cannot be used.
 */
export function checkOptions(
  schema: ConfigSchema,
  options: object,
  path: ConfigPath,
  { owner, interpolated = new Set() }: OptionsContext = {},
): CheckedOptions {
  const ajv = new Ajv(ajvOptions);
  for (const [name, format] of Object.entries(optionFormats)) ajv.addFormat(name, format);
  const root: OptionSchema = { type: 'object', ...schema };
  const validate = ajv.compile(closed(root));
  const value = coerce(options, root, path, interpolated) as object;
  if (validate(value)) return { value, problems: [] };
  const problems = (validate.errors ?? []).map((fault) => describeFault(fault, { schema: root, value, path, owner }));
  return { value, problems: firstOfEachPath(problems) };
}

const ajvOptions: Options = {
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  strict: false,
  strictNumbers: true,
  logger: false,
  // To compile the schema of schemas would take longer than all the rest of a start.
  meta: false,
  validateSchema: false,
  // Nearly half of a compilation, for a function that is called once.
  code: { optimize: false },
};

/** What is of the wrong type is not one of the allowed values either; that goes without saying. */
function firstOfEachPath(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const byPath = new Map<string, ConfigProblem>();
  for (const problem of problems) {
    const pointer = pathPointer(problem.path);
    if (!byPath.has(pointer)) byPath.set(pointer, problem);
  }
  return [...byPath.values()];
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
