import type { Telemetry } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { telemetryConformance } from './telemetry-conformance.ts';

const silent: Telemetry = {
  span: async (_name, _attributes, work) => await work({ set() {} }),
  count() {},
  record() {},
};

telemetryConformance({ describe, it }, { create: () => silent });

function started(): Telemetry {
  let open = false;
  return {
    ...silent,
    async start() {
      open = true;
    },
    async stop() {
      open = false;
    },
    count() {
      if (!open) throw new Error('not started');
    },
  };
}

const broken: readonly (readonly [what: string, telemetry: Partial<Telemetry>, tests: readonly string[]])[] = [
  [
    'answers a copy',
    {
      span: async (_name, _attributes, work) => structuredClone(await work({ set() {} })),
    },
    ['returns the result of the work'],
  ],
  [
    'wraps failures',
    {
      span: async (_name, _attributes, work) => {
        try {
          return await work({ set() {} });
        } catch (cause) {
          throw new Error('the work failed', { cause });
        }
      },
    },
    ['rejects with the error of the work'],
  ],
  [
    'connects first',
    {
      span: async (_name, _attributes, work) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return await work({ set() {} });
      },
    },
    ['runs the work once and without delay'],
  ],
  [
    'knows one span at a time',
    (() => {
      let isOpen = false;
      return {
        async span(_name, _attributes, work) {
          if (isOpen) throw new Error('there is a span already');
          isOpen = true;
          return await work({ set() {} }).finally(() => {
            isOpen = false;
          });
        },
      } satisfies Partial<Telemetry>;
    })(),
    ['holds spans within each other and beside each other, in whatever order they end'],
  ],
  [
    'writes into the attributes',
    {
      span: async (_name, attributes, work) =>
        await work({ set: (more) => void Object.assign(attributes, more, { at: 1 }) }),
    },
    ['accepts attributes during and after the work, and does not modify them'],
  ],
  [
    'trusts what callers send',
    {
      span: async (_name, _attributes, work, trace) => {
        if (trace && !/^00-\w{32}-\w{16}-\w\w$/.test(trace.traceparent)) throw new Error('no trace');
        return await work({ set() {} });
      },
    },
    ['accepts every trace header a caller can send'],
  ],
  [
    'refuses numbers',
    {
      count(_name, value) {
        if (!(value >= 0)) throw new RangeError('a sum only grows');
      },
    },
    ['never fails for a number'],
  ],
  ['works between start and stop only', started(), ['lets work go on before it is started, and after it was stopped']],
];

describe('the conformance suite of telemetry', () => {
  it.each(broken)('catches one that %s', async (_, telemetry, tests) => {
    const create = () => ({ ...silent, ...telemetry });
    expect(await failingTests((runner) => telemetryConformance(runner, { create }))).toEqual(
      expect.arrayContaining([...tests]),
    );
  });
});
