import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@patchbay/core';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-log-'));

describe('createLogger', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('writes one JSON object per line, with errors and their causes, and without secrets', async () => {
    const file = join(folder, 'log');
    const logger = createLogger(file);
    const key = `whsec_${'a'.repeat(32)}`;
    logger.debug('hidden by the level');
    logger.info('hello', { token: 'secret-1', nested: { authorization: 'secret-2', 'x-api-key': 'secret-3' } });
    logger.error('failed', { error: new Error(`with ${key}`, { cause: new Error('the cause') }), key: 'secret-4' });
    logger.setLevel('debug');
    logger.debug('shown');
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('shown');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/secret-\d/);
    expect(text).not.toContain(key);
    const circular: Record<string, unknown> = { password: 'secret-5' };
    circular['self'] = circular;
    expect(JSON.stringify(createRedactor().fields({ circular: { ...circular, self: 1 } }))).not.toContain('secret-5');
    expect(() => createRedactor().fields(circular)).not.toThrow(RangeError);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { level: 'info', message: 'hello', token: '[hidden]', nested: { authorization: '[hidden]' } },
      { level: 'error', message: 'failed', error: { message: expect.stringContaining('the cause') } },
      { level: 'debug', message: 'shown' },
    ]);
    expect(lines[0].time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });
});
