import type { OptionSchema } from '../contracts/config-schema.ts';

/** Largest number of requests and of units: still counted exactly, and far above what a process can serve. */
const MOST = 1_000_000_000;

interface Rate {
  readonly requests: number;
  readonly seconds: number;
  readonly burst: number;
}

function rateLimit(description: string, { requests, seconds, burst }: Rate): OptionSchema {
  return {
    type: 'object',
    description,
    default: {},
    properties: {
      requests: {
        type: 'integer',
        minimum: 1,
        maximum: MOST,
        default: requests,
        description: 'Refilled per `seconds`.',
      },
      seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: seconds, description: 'See `requests`.' },
      burst: { type: 'integer', minimum: 1, maximum: MOST, default: burst, description: 'What can be used at once.' },
      off: { type: 'boolean', default: false, description: 'Not limited at all.' },
    },
  };
}

function callerLimits(description: string, factor: number): OptionSchema {
  const perSecond = (requests: number, burst: number) => ({
    requests: factor * requests,
    seconds: 1,
    burst: factor * burst,
  });
  return {
    type: 'object',
    description,
    default: {},
    properties: {
      all: rateLimit('Requests of every kind.', perSecond(100, 1_000)),
      execute: rateLimit('Executions of functions.', perSecond(50, 200)),
      model: rateLimit('Requests to models.', perSecond(50, 200)),
    },
  };
}

/** The section `limits`: the shape of `Limits`. */
export const limitsSchema: OptionSchema = {
  type: 'object',
  description: 'How much callers may use.',
  default: {},
  properties: {
    off: { type: 'boolean', default: false, description: 'Nothing is limited.' },
    key: callerLimits('What each key may use.', 1),
    tenant: callerLimits('What all keys of a tenant may use together.', 10),
    failedAuthentication: rateLimit('Refused credentials, by address.', { requests: 60, seconds: 60, burst: 300 }),
  },
};
