/** Bounds of a schema that a caller may store; beyond them, compiling or applying it can stall the process. */
export const schemaLimits = {
  /** UTF-8 bytes of the schema as JSON. */
  bytes: 65_536,
  /** Schemas within the schema, itself included. */
  nodes: 500,
  /** Schemas within each other. */
  depth: 16,
  enumValues: 1_000,
  alternatives: 8,
  patternLength: 512,
  /** Steps of the compiled pattern; the time per character of a value grows with it. */
  patternProgram: 500,
  /** Steps of all patterns of a schema, some 5 microseconds each to check and compile. */
  patternPrograms: 10_000,
  /** Bounds of all schemas of one request, such as the functions that a model can choose from. */
  requestBytes: 1_048_576,
  requestNodes: 10_000,
  requestPatternPrograms: 20_000,
} as const;

export const schemaTypes: ReadonlySet<string> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

export const schemaFormats: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'email',
  'uri',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
]);
