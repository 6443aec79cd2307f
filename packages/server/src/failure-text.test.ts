import { PatchbayError } from '@patchbay/core';
import { describe, expect, it } from 'vitest';
import { describeFailure } from './failure-text.ts';

describe('describeFailure', () => {
  it.each([
    [new PatchbayError('config_invalid', 'a.yaml:1:1 is wrong'), 78, 'a.yaml:1:1 is wrong'],
    [new PatchbayError('plugin_start_failed', 'storage did not start'), 1, 'storage did not start'],
    [Object.assign(new Error('listen'), { code: 'EADDRINUSE', address: '::1', port: 80 }), 1, '::1:80 is in use'],
    [Object.assign(new Error('listen'), { code: 'EACCES', address: '::1', port: 80 }), 1, 'may not listen on ::1:80'],
    [
      Object.assign(new Error('listen'), { code: 'EADDRNOTAVAIL', address: '192.0.2.1', port: 80 }),
      1,
      '192.0.2.1 is no address of this machine',
    ],
    [
      Object.assign(new Error('dns'), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'a.invalid' }),
      1,
      'a.invalid cannot be resolved (ENOTFOUND); set HOST',
    ],
    [
      Object.assign(new Error('listen'), {
        code: 'EADDRINUSE',
        address: '::1',
        port: 80,
        settings: { host: 'worker.host', port: 'worker.port' },
      }),
      1,
      '::1:80 is in use by another process; set worker.port to another one',
    ],
    [new Error('anything'), 1, 'anything'],
    ['a text', 1, 'a text'],
  ])('%s', (error, exitCode, text) => {
    const failure = describeFailure(error);
    expect(failure.exitCode).toBe(exitCode);
    expect(failure.text).toContain(text);
  });
});
