import { expect, it } from 'vitest';
import { logFormat } from './log-format.ts';

const line = `${JSON.stringify({ level: 'info', time: '2026-01-01T00:00:00.000Z', message: 'listening', url: 'http://x' })}\n`;
const env = { NO_COLOR: '1' };

it('a log at a terminal is lines for people', () => {
  expect(logFormat({ isTTY: true }, { env })?.(line)).toMatch(/^\d\d:\d\d:\d\d · listening {2}\(url http:\/\/x\)\n$/);
});

it.each([
  ['in a pipe', { isTTY: false }, false],
  ['with --json', { isTTY: true }, true],
] as const)('a log %s stays JSON', (_, stream, json) => {
  expect(logFormat(stream, { env, json })).toBeUndefined();
});
