/** A JSON Schema as a file has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The input of a function, and the names of its members for special names in templates. */
export interface FunctionInput {
  readonly schema: JsonSchema;
  readonly names: Readonly<Record<string, string>>;
}

/** Only a string: the message of a user, and the output of a chat. */
export const textSchema: JsonSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};

/** Members of a schema that the root of another one can take over. */
const mergeable = [
  '$schema',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  '$defs',
  'definitions',
];

/**
 * One input from the values for the system prompt and those for the user's message, which is a string if it has no
 * schema.
 *
 * @param free Variables of templates without a schema.
 * @returns The reason if the two schemas cannot be merged.
 */
export function inputOf(
  system: JsonSchema | undefined,
  user: JsonSchema | undefined,
  free: readonly string[],
): FunctionInput | string {
  const open = { type: 'object', properties: Object.fromEntries(free.map((name) => [name, {}])), required: free };
  const message = user ?? (free.length > 0 ? open : textSchema);
  const names = user === undefined && free.length === 0 ? { user_text: 'text', system_text: 'text' } : {};
  if (system === undefined || Object.keys(propertiesOf(system)).length === 0) return { schema: message, names };
  const [systemProperties, userProperties] = [propertiesOf(system), propertiesOf(message)];
  const twice = Object.keys(systemProperties).find((name) => {
    return name in userProperties && JSON.stringify(systemProperties[name]) !== JSON.stringify(userProperties[name]);
  });
  if (twice !== undefined)
    return `the system and the user schema define ${twice} differently, and an input is one object`;
  const special = [system, message].flatMap(Object.keys).find((name) => !mergeable.includes(name));
  if (special !== undefined) return `the system and the user schema cannot be one object: one has ${special}`;
  const merged = {
    ...system,
    ...message,
    properties: { ...systemProperties, ...userProperties },
    required: [...new Set([...requiredOf(system), ...requiredOf(message)])],
    ...definitionsOf(system, message),
  };
  return { schema: merged, names };
}

export function propertiesOf(schema: JsonSchema): JsonSchema {
  return (schema['properties'] ?? {}) as JsonSchema;
}

function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema['required'] ?? []) as readonly string[];
}

function definitionsOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged = ['$defs', 'definitions'].flatMap((name) => {
    return name in one || name in other
      ? [[name, { ...(one[name] as object), ...(other[name] as object) }] as const]
      : [];
  });
  return Object.fromEntries(merged);
}
