import type { OptionSchema } from '@patchbay/contracts/config-schema';
import { describe, expect, it } from 'vitest';
import { appConfigSchema } from './app-config.ts';
import { changedOptions, withoutRestart } from './changed-options.ts';

const schema = {
  properties: {
    port: { type: 'integer' },
    level: { type: 'string', reload: true },
    work: {
      type: 'object',
      reload: true,
      properties: { most: { type: 'integer' }, lease: { type: 'integer', reload: false } },
    },
    names: {
      type: 'object',
      reload: true,
      additionalProperties: { type: 'object', properties: { key: { type: 'string' } } },
    },
  },
} as const satisfies { properties: Record<string, OptionSchema> };

const before = { port: 1, level: 'info', work: { most: 2, lease: 3 }, names: { a: { key: 'one' } } };

describe('changedOptions', () => {
  it('is empty if no option differs', () => {
    expect(changedOptions(schema, before, structuredClone(before))).toEqual({ changed: [], needsRestart: [] });
  });

  it('names single options, split into those that a running process applies and those that need a restart', () => {
    const after = { port: 2, level: 'warn', work: { most: 9, lease: 9 }, names: { a: { key: 'two' }, b: {} } };
    expect(changedOptions(schema, before, after, 'server')).toEqual({
      changed: ['server.level', 'server.work.most', 'server.names.a.key', 'server.names.b'],
      needsRestart: ['server.port', 'server.work.lease'],
    });
  });

  it('names options that were left out, or are new', () => {
    expect(changedOptions(schema, before, { level: 'info', work: before.work })).toEqual({
      changed: ['names'],
      needsRestart: ['port'],
    });
  });
});

describe('withoutRestart', () => {
  it('withoutRestart returns the new value except for options that need a restart', () => {
    const after = { level: 'warn', work: { most: 9, lease: 9 }, names: { b: {} } };
    const inForce = withoutRestart({ type: 'object', ...schema }, before, after);
    expect(inForce).toEqual({ port: 1, level: 'warn', work: { most: 9, lease: 3 }, names: { b: {} } });
    expect(changedOptions(schema, inForce as object, after)).toEqual({
      changed: [],
      needsRestart: ['port', 'work.lease'],
    });
  });
});

describe('the config', () => {
  it('a restart is needed for these options and no others', () => {
    const fixed = (properties: Readonly<Record<string, OptionSchema>>, prefix: string, inherited: boolean): string[] =>
      Object.entries(properties).flatMap(([name, option]) => {
        const reload = option.reload ?? inherited;
        const isMount = 'use' in (option.properties ?? {});
        if (option.properties && !isMount) return fixed(option.properties, `${prefix}${name}.`, reload);
        return reload ? [] : [`${prefix}${name}`];
      });
    expect(fixed(appConfigSchema.properties, '', false)).toEqual([
      'patchbay',
      'storage',
      'rateLimiter',
      'cache',
      'queue',
      'telemetry',
      'executions.leaseMs',
      'egress.proxy',
      'egress.noProxy',
      'secret',
      'secretFile',
      'previousSecrets',
      'autoMigrate',
    ]);
  });
});
