import { silentLogger } from '@patchbay/contracts/base/logger';
import { describe, expect, it } from 'vitest';
import { silentTelemetry } from './measuring.ts';

describe('telemetry that measures nothing', () => {
  const telemetry = silentTelemetry.definition.create({
    config: {},
    deps: {},
    logger: silentLogger,
    mount: 'telemetry',
    directory: '/',
  });

  it('a span does its work and passes on its outcome', async () => {
    const work = telemetry.span('x', {}, async (span) => {
      span.set({ a: 1 });
      telemetry.count('c', 1);
      telemetry.record('r', 2);
      return 'done';
    });
    expect(await work).toBe('done');
    await expect(telemetry.span('x', {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
