import { describe, expect, it } from 'vitest';
import { fitCounts } from './fit-counts.ts';
import { scoreCounts } from './score-counts.ts';
import { TaskMemory } from './task-memory.ts';

const at = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const of = { settingsVersion: 2, model: 'a/one' };
const fitted = { ...of, fit: fitCounts('fitted', at), scores: null };
const scored = { ...of, fit: null, scores: scoreCounts(1, at) };

describe('the memory of a task', () => {
  it('a record that was just read is reused', () => {
    const memory = new TaskMemory();
    memory.add(fitted);
    const record = memory.recordsOf(2, at)('a/one');
    expect(memory.recordsOf(2, at + 999)('a/one')).toBe(record);
    expect(memory.recordsOf(2, at + HOUR_MS)('a/one').fit?.asked).toBeLessThan(record.fit?.asked ?? 0);
  });

  it('new counts are part of the next record', () => {
    const memory = new TaskMemory();
    expect(memory.recordsOf(2, at)('a/one').fit).toBeUndefined();
    memory.add(fitted);
    memory.recordsOf(2, at)('a/one');
    memory.add(fitted);
    expect(memory.recordsOf(2, at)('a/one').fit?.asked).toBe(2);
  });

  it('a response without a score leaves the scores of the record as they are', () => {
    const memory = new TaskMemory();
    memory.add(scored);
    const { scores } = memory.recordsOf(2, at)('a/one');
    memory.add(fitted);
    expect(memory.recordsOf(2, at)('a/one').scores).toBe(scores);
    memory.add(scored);
    expect(memory.recordsOf(2, at)('a/one').scores).not.toBe(scores);
  });

  it('new scores are part of the next record, under later settings too', () => {
    const memory = new TaskMemory();
    memory.add(fitted);
    memory.recordsOf(2, at)('a/one');
    memory.recordsOf(3, at)('a/one');
    memory.add(scored);
    expect(memory.recordsOf(2, at)('a/one').scores?.count).toBe(1);
    expect(memory.recordsOf(3, at)('a/one').earlierScores?.count).toBe(1);
  });

  it('the rows of the storage replace what was read before', () => {
    const memory = new TaskMemory();
    memory.add(fitted);
    memory.take();
    memory.recordsOf(2, at)('a/one');
    memory.replace([]);
    expect(memory.recordsOf(2, at)('a/one')).toEqual({});
  });
});
