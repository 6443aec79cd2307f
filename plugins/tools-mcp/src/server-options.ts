import type { ConfigOf, OptionSchema } from '@patchbay/core/plugin';

/** The options of a mounted server: either `url` or `program`. */
export const serverOptions = {
  url: { type: 'string', format: 'uri', description: 'URL of the server, such as `https://mcp.example.com/mcp`.' },
  headers: {
    type: 'object',
    description: 'Headers of every request to the URL, such as `authorization`. Their values are secrets.',
    additionalProperties: { type: 'string', writeOnly: true },
  },
  addresses: {
    type: 'array',
    items: { type: 'string', format: 'address-range' },
    default: [],
    description: 'Address ranges such as `10.1.0.0/16` the host may resolve to beside public addresses.',
  },
  program: {
    type: 'object',
    description:
      'A program that speaks MCP on its standard input and output. Only for mounts that `PATCHBAY_TOOL_PROGRAMS` names in the environment.',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The program to start.' },
      args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
      env: {
        type: 'object',
        description: 'Its environment, beside `PATH`, `HOME` and the like.',
        additionalProperties: { type: 'string', writeOnly: true },
      },
    },
    required: ['command'],
  },
  timeoutMs: {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    default: 30_000,
    description: 'Timeout of one call in milliseconds.',
  },
  maxTools: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'Tools to use; those that the server lists after them are ignored.',
  },
  maxResultBytes: {
    type: 'integer',
    minimum: 1,
    maximum: 8_388_608,
    default: 262_144,
    description: 'Maximum size of a result in bytes of JSON.',
  },
  refreshSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 86_400,
    default: 60,
    description: 'Seconds after which the list is read again, if the server announced no change before.',
  },
} as const satisfies Readonly<Record<string, OptionSchema>>;

export type ServerConfig = ConfigOf<{ properties: typeof serverOptions }>;
