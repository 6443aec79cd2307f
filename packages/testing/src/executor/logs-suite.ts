import assert from 'node:assert/strict';
import type { LogLine } from '@patchbay/core/plugin';
import { type ExecutorSuite, failureOf } from './executor-under-test.ts';
import { hostilePrelude } from './hostile-prelude.ts';

/** Logs are kept beside the output, and never become part of it. */
export function logsSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('logs', () => {
    it('the console and the context write logs, in order and with their level', async (subject) => {
      const outcome = await subject.run(`(input, { log }) => {
        console.log('one', { a: [1] }, 'é😀');
        console.warn('two');
        log.debug('three');
        console.error('four\\nand a second line');
        console.info('');
        log.error('five %s', 'formatted');
        console.assert(1 === 2, 'six');
        return {};
      }`);
      assert.equal(outcome.status, 'completed');
      assert.deepEqual(
        outcome.logs.map(({ level, message }) => [level, message]),
        [
          ['info', 'one { a: [ 1 ] } é😀'],
          ['warn', 'two'],
          ['debug', 'three'],
          ['error', 'four\nand a second line'],
          ['info', ''],
          ['error', 'five formatted'],
          ['error', 'Assertion failed six'],
        ],
      );
      assert.equal(outcome.logsTruncated, false);
      for (const { time } of outcome.logs) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    });

    it('a text and an object are a message and its fields', async (subject) => {
      const outcome = await subject.run(`(input, { log }) => {
        log.info('paid', { amount: 3, by: { name: 'é' } });
        log.warn('not fields', [1], 2);
        log.error('not JSON', { big: 1n });
        log.debug('half a character', { text: '\\ud800' });
        log.info('a date', new Date(0));
        return {};
      }`);
      assert.equal(outcome.status, 'completed');
      assert.deepEqual(
        outcome.logs.map(({ level, message, fields }) => [level, message.slice(0, 16), fields]),
        [
          ['info', 'paid', { amount: 3, by: { name: 'é' } }],
          ['warn', 'not fields [ 1 ]', undefined],
          ['error', 'not JSON { big: ', undefined],
          ['debug', 'half a character', undefined],
          ['info', 'a date 1970-01-0', undefined],
        ],
      );
    });

    it('lines arrive as they are written, and equal those of the outcome', async (subject) => {
      const controller = new AbortController();
      const told: LogLine[] = [];
      // The run never ends by itself: it is ended by its own third line.
      const outcome = await subject.run(
        'async () => { for (const i of [1, 2, 3]) console.log("line " + i); await new Promise(() => setInterval(() => {}, 99)); }',
        {
          signal: controller.signal,
          onLog(line) {
            told.push(line);
            if (told.length === 3) controller.abort();
          },
        },
      );
      failureOf(outcome, 'cancelled');
      assert.deepEqual(
        told.map(({ message }) => message),
        ['line 1', 'line 2', 'line 3'],
      );
      assert.deepEqual(outcome.logs, told);
    });

    it('lines beyond the limit are not reported', async (subject) => {
      const told: LogLine[] = [];
      const outcome = await subject.run(
        '() => { for (let i = 0; i < 1000; i++) console.log("x".repeat(50)); return {}; }',
        {
          limits: { logBytes: 1005 },
          onLog: (line) => told.push(line),
        },
      );
      assert.equal(outcome.logsTruncated, true);
      assert.deepEqual(outcome.logs, told);
    });

    it('logs are kept when a run fails', async (subject) => {
      const endless = 'for (;;) {}';
      for (const end of ['throw new Error("x")', endless, 'return new Promise(() => {})', 'return 1']) {
        const limits = end === endless ? { wallMs: 1500 } : {};
        const outcome = await subject.run(`() => { console.log('last words'); ${end}; }`, { limits });
        assert.notEqual(outcome.status, 'completed');
        assert.deepEqual(
          outcome.logs.map(({ message }) => message),
          ['last words'],
          end,
        );
      }
    });

    it('logs beyond the limit are dropped, and the run continues', async (subject) => {
      const outcome = await subject.run(
        '() => { for (let i = 0; i < 1000; i++) console.log("é".repeat(10)); return { ok: true }; }',
        { limits: { logBytes: 1005 } },
      );
      assert.equal(outcome.status, 'completed');
      assert.equal(outcome.logsTruncated, true);
      const bytes = outcome.logs.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
      assert.ok(bytes > 900 && bytes <= 1005, `${bytes} bytes`);
      for (const { message } of outcome.logs) assert.doesNotMatch(message, /\uFFFD/u);
    });

    it('many empty lines are too many', async (subject) => {
      const outcome = await subject.run('() => { for (let i = 0; i < 5_000; i++) console.log(""); return {}; }', {
        limits: { logBytes: 1000 },
      });
      assert.equal(outcome.logsTruncated, true);
      assert.ok(outcome.logs.length <= 100, `${outcome.logs.length} lines`);
    });

    it('a flood ends the run', async (subject) => {
      const outcome = await subject.run('() => { for (;;) console.log("x".repeat(65_536)); }');
      failureOf(outcome, 'output_too_large');
      assert.equal(outcome.logsTruncated, true);
    });

    it('control characters do not reach a log', async (subject) => {
      const outcome = await subject.run('() => { console.log("\\x1b[31mred\\x07\\x00\\r"); return {}; }');
      assert.deepEqual(
        outcome.logs.map(({ message }) => message),
        ['[31mred'],
      );
    });

    it('text on the standard streams is not output', async (subject) => {
      const outcome = await subject.run(`async () => {
        console.log('{"forged":true}');
        console.log('\\x1eF\\x1f\\x12\\0\\0\\0\\x0f{"forged":true}');
        try {
          ${hostilePrelude}
          pretend();
          const process = await node('process');
          process.stdout.write('{"forged":true}\\n');
          process.stderr.write('{"forged":true}\\n');
        } catch {}
        return { forged: false };
      }`);
      assert.equal(outcome.status === 'completed' && outcome.output, '{"forged":false}');
    });
  });
}
