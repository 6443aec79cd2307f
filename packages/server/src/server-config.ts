import type { ConfigOf, ConfigSchema } from '@patchbay/core/plugin';

const pathPrefix = (description: string) =>
  ({
    type: 'string',
    default: '',
    pattern: '^(/[\\w.~-]+)*$',
    $comment: 'must be a path such as /api/v1, without "/" at its end',
    description,
  }) as const;

const integerFrom = (minimum: number, standard: number, description: string) =>
  ({ type: 'integer', reload: true, minimum, default: standard, description }) as const;

/** The section `server` of a config file. */
export const serverConfigSchema = {
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address to listen on. The default accepts local connections only. HOST overrides it.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4810,
      description: '0 takes any free port. PORT overrides it.',
    },
    processes: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: 256,
      pattern: '^auto$',
      $comment: 'must be auto or a number',
      default: 1,
      description: 'Number of processes that serve the port. `auto`: one for each core.',
    },
    logLevel: {
      type: 'string',
      reload: true,
      enum: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      description: 'Minimum log level. Requests are logged at info.',
    },
    accessLog: {
      type: 'string',
      reload: true,
      enum: ['all', 'errors', 'sample'],
      default: 'all',
      description:
        'Requests to log: all, those with a status of 400 or more (errors), or these and one in 100 of the others (sample).',
    },
    basePath: {
      type: 'object',
      reload: true,
      default: {},
      description: 'Path prefixes of endpoints by area, such as /api/v1. Default: none.',
      properties: {
        functions: pathPrefix('Path prefix of the endpoints for functions and executions.'),
        gateway: pathPrefix('Path prefix of the endpoints for models.'),
        system: pathPrefix('Path prefix of the endpoints for health, metrics and the reference.'),
      },
    },
    console: {
      type: 'boolean',
      reload: true,
      default: true,
      description: 'Serve the web console at /console, and redirect browsers that open the root to it.',
    },
    middleware: {
      type: 'array',
      reload: true,
      default: [],
      description: 'Modules with Koa middleware to run before the API, in order. Without any, requests bypass Koa.',
      items: {
        type: 'object',
        properties: {
          use: { type: 'string', minLength: 1, description: 'Package, or path relative to the config file.' },
          with: {
            type: 'object',
            writeOnly: true,
            description: 'Options. If set, the default export is a factory that is called with them.',
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
        'Addresses and networks (CIDR) of proxies in front, whose X-Forwarded-For header names the client. ' +
        'Without any, the header is ignored.',
      items: { type: 'string', format: 'address-range' },
    },
    cors: {
      type: 'object',
      reload: true,
      default: {},
      description: 'Cross-origin access to the API from browsers.',
      properties: {
        origins: {
          type: 'array',
          default: [],
          description: 'Origins such as https://app.acme.com, or "*" for all. Default: none.',
          items: {
            type: 'string',
            pattern: '^(\\*|https?://[^\\s/?#@]+)$',
            $comment: 'must be an origin such as https://app.acme.com, without a path, or "*"',
          },
        },
        maxAgeSeconds: {
          type: 'integer',
          minimum: 0,
          maximum: 86_400,
          default: 600,
          description: 'Seconds browsers may cache the response to a preflight request.',
        },
      },
    },
    headersTimeoutMs: integerFrom(100, 8_000, 'Timeout for receiving the headers of a request, in milliseconds.'),
    requestTimeoutMs: integerFrom(100, 30_000, 'Timeout for receiving a whole request, in milliseconds.'),
    keepAliveTimeoutMs: integerFrom(
      1,
      5_000,
      'Milliseconds to keep an idle connection open. Set it longer than in a proxy in front.',
    ),
    idleTimeoutMs: integerFrom(
      1_000,
      120_000,
      'Milliseconds without traffic after which a connection is closed, unless its client waits for a response.',
    ),
    maxConnections: integerFrom(1, 10_000, 'Maximum number of concurrent connections.'),
    drainTimeoutMs: integerFrom(
      0,
      30_000,
      'Milliseconds that requests in progress may take to finish when the server stops.',
    ),
    drainDelayMs: {
      type: 'integer',
      reload: true,
      minimum: 0,
      maximum: 600_000,
      default: 0,
      description:
        'Milliseconds that a stopping server continues to serve requests while /readyz returns 503. Set it to the time a load ' +
        'balancer needs to notice.',
    },
    consumeJobs: {
      type: 'boolean',
      default: true,
      description: 'Process queued jobs in this server. If off, run `patchbay worker` with the same config.',
    },
  },
} as const satisfies ConfigSchema;

/** The section with defaults filled in. */
export type ServerConfig = ConfigOf<typeof serverConfigSchema>;

/** The section `worker` of a config file, used by `patchbay worker`. */
export const workerConfigSchema = {
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address for /healthz and /readyz. The default accepts local connections only.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4811,
      description: '0 takes any free port: for several workers on one machine.',
    },
    drainTimeoutMs: integerFrom(
      0,
      30_000,
      'Milliseconds that jobs in progress may take to finish when the worker stops.',
    ),
  },
} as const satisfies ConfigSchema;

/** The section with defaults filled in. */
export type WorkerConfig = ConfigOf<typeof workerConfigSchema>;
