/** Bounds of a schema that a caller may store; beyond them, compiling or applying it can stall the process. */
export const schemaLimits = {
  /** UTF-8 bytes of the schema as JSON. */
  bytes: 65_536,
  /** Schemas within the schema, itself included. */
  nodes: 500,
  /** Schemas within each other. */
  depth: 32,
  /** Schemas once every reference is replaced by what it refers to, except where a schema refers to itself. */
  resolvedNodes: 2_000,
  /** Levels of data that a schema which refers to itself is applied to. */
  recursion: 32,
  enumValues: 1_000,
  alternatives: 64,
  patternLength: 512,
  /** Steps of the compiled pattern; the time per character of a value grows with it. */
  patternProgram: 1_000,
  /** Steps of all patterns of a schema, some 5 microseconds each to check and compile. */
  patternPrograms: 10_000,
  /** Bounds of all schemas of one request, such as the functions that a model can choose from. */
  requestBytes: 1_048_576,
  requestNodes: 10_000,
  requestPatternPrograms: 20_000,
} as const;
