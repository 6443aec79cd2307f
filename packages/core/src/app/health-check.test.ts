import type { Health } from '@patchbay/contracts/lifecycle';
import { describe, expect, it } from 'vitest';
import { createHealthCheck } from './health-check.ts';
import type { Part } from './parts.ts';

function watched(health: () => Promise<Health>) {
  const log: (readonly [level: string, message: string, fields?: object])[] = [];
  const at = (level: string) => (message: string, fields?: object) => void log.push([level, message, fields ?? {}]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const part: Part = {
    name: 'storage',
    kind: 'storage',
    plugin: 'p',
    optional: false,
    instance: { health },
    state: 'started',
  };
  return { log, check: createHealthCheck(() => [part], {}, logger) };
}

describe('the health of a part', () => {
  it('a change of health is logged once, with its detail', async () => {
    let now: Health = { status: 'pass' };
    const { log, check } = watched(async () => now);
    await check();
    expect(log).toEqual([]);
    now = { status: 'fail', detail: 'the disk is full' };
    await check();
    await check();
    expect(log.splice(0)).toEqual([['error', 'a part is unhealthy', { part: 'storage', detail: 'the disk is full' }]]);
    now = { status: 'warn', detail: 'it is slow' };
    await check();
    expect(log.splice(0)).toEqual([['warn', 'a part is degraded', { part: 'storage', detail: 'it is slow' }]]);
    now = { status: 'pass' };
    await check();
    expect(log).toEqual([['info', 'a part is healthy again', { part: 'storage' }]]);
  });

  it('a warning from the start is not logged', async () => {
    const { log, check } = watched(async () => ({ status: 'warn', detail: 'has no key' }));
    await check();
    expect(log).toEqual([]);
  });

  it('the cause of a failed check is logged once', async () => {
    const { log, check } = watched(async () => {
      throw new Error('connect ECONNREFUSED');
    });
    await check();
    await check();
    expect(log.map(([level, message]) => [level, message])).toEqual([
      ['warn', 'the health check of storage failed'],
      ['error', 'a part is unhealthy'],
    ]);
  });
});
