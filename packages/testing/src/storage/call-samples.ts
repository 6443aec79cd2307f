import type { Samples } from './sample-rows.ts';

/** Rows about calls. */
export const callSamples: Pick<Samples, 'callRecords' | 'callContents' | 'callHours'> = {
  callRecords: (id) => ({
    id,
    functionId: 'function_1',
    name: 'summarizeText',
    settingsVersion: 3,
    model: 'acme/large',
    outcome: 'repaired',
    errorCode: 'function_output_invalid',
    decision: {
      by: 'router',
      alias: 'fast',
      chances: [
        [0.95, 'acme/large'],
        [0.05, 'acme/small'],
      ],
      reason: 'Quality 0.9.',
    },
    attempts: [{ model: 'acme/small', code: 'provider_error' }],
    costNanoUsd: 1_250,
    promptTokens: 20,
    completionTokens: 5,
    durationMs: 250,
    parentId: 'execution_1',
    queuedMs: 5,
    firstOutputMs: 40,
    steps: [
      { kind: 'attempt', name: 'acme/small', atMs: 0, durationMs: 40, code: 'provider_error', detail: 'It is down.' },
      { kind: 'omitted', count: 2 },
    ],
    executionId: 'execution_1',
    keyId: 'key_1',
    requestId: 'request_1',
    createdAt: '2026-01-02T03:04:05.678Z',
  }),
  callContents: (id) => ({
    id,
    bytes: 19,
    createdAt: '2026-01-02T03:04:05.678Z',
    content: 'sealed1.example.text',
  }),
  callHours: (id) => ({
    id,
    hour: '2026-01-02T03:00:00.000Z',
    calls: 12,
    repaired: 1,
    failed: 2,
    cancelled: 0,
    cached: 3,
    costNanoUsd: 12_500,
    durations: { 40: 9, 81: 3 },
  }),
};
