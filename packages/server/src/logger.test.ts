import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

  it('flat fields are written exactly as the library writes them', async () => {
    const file = join(folder, 'flat');
    const logger = createLogger(file);
    const message = 'quotes " and\nlines';
    const odd = {
      text: '\u2028\u0001"\\é\ud800',
      not: Number.NaN,
      most: Number.POSITIVE_INFINITY,
      zero: -0,
      whole: 1.5e300,
    };
    for (const fields of [{}, { ...odd, none: null, missing: undefined, yes: true, key: 'a secret' }]) {
      logger.info(message, fields);
      // Objects are left to the library.
      logger.info(message, { ...fields, nested: {} });
    }
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length).toBe(5);
    const [empty, emptyByLibrary, flat, byLibrary] = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.replace(/"time":"[^"]*"/, '').replace(',"nested":{}', ''));
    expect(empty).toBe(emptyByLibrary);
    expect(flat).toBe(byLibrary);
    expect(flat).toContain('"key":"[hidden]"');
  });
});

describe('a log that is not read', () => {
  it('a log that is not read does not block requests, and counts the lines that it drops', {
    timeout: 30_000,
  }, async () => {
    const LINES = 20_000;
    const script = new URL('./fixtures/log-much.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--conditions=source', script, String(LINES), '200000']);
    const [report] = (await once(child.stderr, 'data')) as [Buffer];
    const dropped = Number(/^dropped (\d+)$/m.exec(String(report))?.[1]);
    expect(dropped).toBeGreaterThan(0);
    // Until now no line was read.
    const written: { message: string; line?: number; lines?: number; level: string }[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const entry = JSON.parse(line);
      written.push(entry);
      if (entry.level === 'warn') child.stdin.end();
    }
    expect(written.filter(({ message }) => message === 'request')).toHaveLength(LINES - dropped);
    expect(written.at(-1)).toMatchObject({
      level: 'warn',
      message: 'log lines were dropped: they were written faster than they were read',
      lines: dropped,
    });
    expect(written[0]).toMatchObject({ line: 0 });
  });
});
