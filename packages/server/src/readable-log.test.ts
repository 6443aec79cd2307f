import { expect, it } from 'vitest';
import { pusherId } from './dev/development-access.ts';
import { logFormat, readableLog } from './readable-log.ts';

const time = '2026-11-21T16:16:59.202Z';
const shown = (entry: object, hasColors = false) =>
  readableLog(hasColors)(`${JSON.stringify({ level: 'info', time, ...entry })}\n`).replace(/\d\d:\d\d:\d\d/, 'TIME');

it('a line contains the event and its duration', () => {
  expect(shown({ message: 'reloaded the config', changed: ['limits', 'router'], ms: 12.4 })).toBe(
    'TIME · reloaded the config  (changed limits router, 12 ms)\n',
  );
  expect(shown({ message: 'updated a', function: 'a', outcome: 'updated', id: 'function_1' })).toBe(
    'TIME · updated a\n',
  );
  expect(shown({ message: 'a: 2 tests passed', function: 'a', passed: 2, failed: 0, ms: 3 })).toBe(
    'TIME · a: 2 tests passed  (3 ms)\n',
  );
  expect(shown({ message: 'migrated', migrations: ['1', '2', '3', '4', '5', '6'] })).toContain('(migrations 6)');
});

it('a log puts each problem on its own line', () => {
  expect(shown({ level: 'error', message: 'a was not pushed', problems: ['x:1:2 one', 'two'] })).toBe(
    'TIME ✗ a was not pushed\n           x:1:2 one\n           two\n',
  );
});

it('the log shortens requests, except those of patchbay dev', () => {
  const request = { message: 'request', method: 'GET', route: '/functions', status: 200, ms: 3.6, requestId: 'r' };
  expect(shown(request)).toBe('TIME · GET /functions 200  4 ms\n');
  expect(shown({ ...request, caller: pusherId })).toBe('');
});

it('the log has colors on request, and keeps lines that are not JSON', () => {
  expect(shown({ message: 'a', level: 'warn' }, true)).toContain('\u001B[33m');
  expect(readableLog(false)('text\n')).toBe('text\n');
});

const line = `${JSON.stringify({ level: 'info', time: '2026-01-01T00:00:00.000Z', message: 'listening', url: 'http://x' })}\n`;
const env = { NO_COLOR: '1' };

it('a log at a terminal is human-readable', () => {
  expect(logFormat({ isTTY: true }, { env })?.(line)).toMatch(/^\d\d:\d\d:\d\d · listening {2}\(url http:\/\/x\)\n$/);
});

it.each([
  ['in a pipe', { isTTY: false }, false],
  ['with --json', { isTTY: true }, true],
] as const)('a log %s stays JSON', (_, stream, json) => {
  expect(logFormat(stream, { env, json })).toBeUndefined();
});
