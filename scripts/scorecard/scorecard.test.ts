import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withPart } from '../marked-part.ts';
import { catalogue, scorecardPages } from './catalogue.ts';
import { readRecords } from './read-records.ts';
import { outcomeOf } from './scorecard-record.ts';
import { scorecardTable } from './scorecard-table.ts';

// `vitest run scripts/scorecard -u` writes the pages again.

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const folder = `${docs}scorecards`;

describe('the scorecard', () => {
  it.each(Object.entries(scorecardPages))('%s shows the records', async (page, sections) => {
    const text = sections.reduce(
      (written, section) =>
        withPart(written, section, scorecardTable(readRecords(folder, (run) => run.section === section))),
      readFileSync(docs + page, 'utf8'),
    );
    await expect(text).toMatchFileSnapshot(docs + page);
  });

  it('every run has a record, and there is no other', () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    expect(names.toSorted()).toEqual(catalogue.map(({ name }) => name).toSorted());
    expect(new Set(Object.values(scorecardPages).flat())).toEqual(new Set(catalogue.map(({ section }) => section)));
  });

  it.each(readRecords(folder))('$name says when, where and how it was measured', (record) => {
    expect(record.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(record.command).not.toMatch(/^\/|\s\/(?!dev\/)/);
    expect(record.machine).not.toBe('');
    expect(record.figures.length).toBeGreaterThan(0);
    const names = record.figures.map(({ what }) => what);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a run that was asked for at a size', () => {
  const asked = {
    'executor-soak': 30_000,
    'webhook-backlog': 50_000,
    'webhook-backlog-worker': 50_000,
    tenancy: 100_000,
    aborts: 10_000,
    'abandoned-requests': 1_000,
    storages: 10_000,
  };

  it.each(Object.entries(asked))('%s has that size as a target: a smaller one is a miss', (name, size) => {
    const [record] = readRecords(folder, (run) => run.name === name);
    expect(record?.figures.map(({ target }) => target?.least)).toContain(size);
  });
});

it('the lists of a million rows are held to 1.5 times those of a thousand', () => {
  const [record] = readRecords(folder, ({ name }) => name === 'storage-list');
  const lists = record?.figures.filter(({ what, target }) => what.startsWith('list') && target !== undefined);
  expect(lists?.map(({ target }) => target)).toEqual([{ most: 1.5 }, { most: 1.5 }]);
});

describe('outcomeOf', () => {
  it.each([
    [{ value: 5 }, undefined],
    [{ value: 5, target: { most: 5 } }, 'met'],
    [{ value: 5.1, target: { most: 5 } }, 'missed'],
    [{ value: 26, target: { least: 40 } }, 'missed'],
    [{ value: 40, target: { least: 40 } }, 'met'],
    [{ value: 1, target: { exactly: 0 } }, 'missed'],
    [{ value: 'all', target: { exactly: 'all' } }, 'met'],
  ])('%j', (figure, outcome) => {
    expect(outcomeOf({ what: 'a', ...figure })).toBe(outcome);
  });

  it('words are not compared with numbers', () => {
    expect(() => outcomeOf({ what: 'a', value: 'some', target: { most: 1 } })).toThrow(TypeError);
  });
});
