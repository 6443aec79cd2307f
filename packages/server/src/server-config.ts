import type { ConfigOf, ConfigSchema } from '@patchbay/core/plugin';

/** The section `server` of a config file. */
export const serverConfigSchema = {
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address to listen on. The default is reachable from this machine only. HOST overrides it.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4810,
      description: '0 takes any free port. PORT overrides it.',
    },
    logLevel: {
      type: 'string',
      reload: true,
      enum: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      description: 'The least important lines that are logged. Requests are logged as info.',
    },
    basePath: {
      type: 'object',
      reload: true,
      default: {},
      description: 'Where the endpoints of an area are, such as /api/v1. Default: at the root.',
      properties: {
        functions: {
          type: 'string',
          default: '',
          pattern: '^(/[\\w.~-]+)*$',
          description: 'Path before the endpoints of functions and executions.',
        },
        gateway: {
          type: 'string',
          default: '',
          pattern: '^(/[\\w.~-]+)*$',
          description: 'Path before the endpoints of models.',
        },
        system: {
          type: 'string',
          default: '',
          pattern: '^(/[\\w.~-]+)*$',
          description: 'Path before the endpoints for health, metrics and the reference.',
        },
      },
    },
    middleware: {
      type: 'array',
      reload: true,
      default: [],
      description:
        'Modules with Koa middleware that runs before the API, in this order. Without any, requests bypass Koa.',
      items: {
        type: 'object',
        properties: {
          use: { type: 'string', minLength: 1, description: 'Package, or path relative to the config file.' },
          with: {
            type: 'object',
            writeOnly: true,
            description: 'Options. With them, the default export is a factory, and called with them.',
          },
        },
        required: ['use'],
      },
    },
    trustedProxies: {
      type: 'array',
      reload: true,
      default: [],
      description:
        'Addresses and networks (CIDR) of proxies in front, whose X-Forwarded-For tells where a request came from. ' +
        'Without any, the header means nothing.',
      items: { type: 'string', format: 'address-range' },
    },
    cors: {
      type: 'object',
      reload: true,
      default: {},
      description: 'Which pages of other origins may use the API from a browser.',
      properties: {
        origins: {
          type: 'array',
          default: [],
          description: 'Origins such as https://app.acme.com, or "*" for all. Default: none.',
          items: { type: 'string', pattern: '^(\\*|https?://[^\\s/?#@]+)$' },
        },
        maxAgeSeconds: {
          type: 'integer',
          minimum: 0,
          maximum: 86_400,
          default: 600,
          description: 'Seconds for which browsers keep the response to a preflight request.',
        },
      },
    },
    headersTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 100,
      default: 8_000,
      description: 'Milliseconds for the head of a request to arrive.',
    },
    requestTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 100,
      default: 30_000,
      description: 'Milliseconds for a whole request to arrive.',
    },
    keepAliveTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 1,
      default: 5_000,
      description: 'Milliseconds that an idle connection is kept. Longer than in a proxy in front.',
    },
    idleTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 1_000,
      default: 120_000,
      description:
        'Milliseconds without a byte in either direction, after which a connection is cut, unless its client waits for a response.',
    },
    maxConnections: {
      type: 'integer',
      reload: true,
      minimum: 1,
      default: 10_000,
      description: 'Connections at the same time.',
    },
    drainTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 0,
      default: 30_000,
      description: 'Milliseconds that requests under way get when the server stops.',
    },
    drainDelayMs: {
      type: 'integer',
      reload: true,
      minimum: 0,
      maximum: 600_000,
      default: 0,
      description:
        'Milliseconds that a server which was told to stop goes on as before, while /readyz says 503: as long as a load ' +
        'balancer that looks there needs to notice.',
    },
    consumeJobs: {
      type: 'boolean',
      default: true,
      description: 'Take jobs out of the queue, too. Off: `patchbay worker` has to run on the same config.',
    },
  },
} as const satisfies ConfigSchema;

/** The section with defaults filled in. */
export type ServerConfig = ConfigOf<typeof serverConfigSchema>;

/** The section `worker` of a config file: what `patchbay worker` goes by. */
export const workerConfigSchema = {
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address for /healthz and /readyz. The default is reachable from this machine only.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4811,
      description: '0 takes any free port: for several workers on one machine.',
    },
    drainTimeoutMs: {
      type: 'integer',
      reload: true,
      minimum: 0,
      default: 30_000,
      description: 'Milliseconds that what is under way gets when the worker stops.',
    },
  },
} as const satisfies ConfigSchema;

/** The section with defaults filled in. */
export type WorkerConfig = ConfigOf<typeof workerConfigSchema>;
