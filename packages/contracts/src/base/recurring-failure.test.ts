import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from './logger.ts';
import { RecurringFailure } from './recurring-failure.ts';

describe('a recurring failure', () => {
  let lines: unknown[];
  let failure: RecurringFailure;
  const error = new Error('the database is away');
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    lines = [];
    const write =
      (level: string) =>
      (...line: unknown[]) =>
        lines.push([level, ...line]);
    const logger = { ...silentLogger, warn: write('warn'), info: write('info') };
    const fields = { topic: 'executions' };
    failure = new RecurringFailure({
      logger,
      failing: 'jobs cannot be claimed',
      over: 'jobs are claimed again',
      fields,
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is logged when it begins, once a minute, and when it is over', () => {
    for (let second = 0; second < 150; second += 1) {
      failure.failed(error);
      vi.advanceTimersByTime(1_000);
    }
    failure.succeeded();
    failure.succeeded();
    expect(lines).toEqual([
      ['warn', 'jobs cannot be claimed', { topic: 'executions', error }],
      ['warn', 'jobs cannot be claimed', { topic: 'executions', error, failures: 61 }],
      ['warn', 'jobs cannot be claimed', { topic: 'executions', error, failures: 121 }],
      ['info', 'jobs are claimed again', { topic: 'executions', failures: 150 }],
    ]);
  });

  it('that recurs later is logged again', () => {
    failure.failed(error);
    failure.succeeded();
    failure.failed(error);
    expect(lines).toHaveLength(2);
  });
});
