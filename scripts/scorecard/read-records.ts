import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, type ScorecardRun } from './catalogue.ts';
import type { ScorecardRecord } from './scorecard-record.ts';

/** The records of a folder in the order of the catalogue. */
export function readRecords(
  folder: string,
  wanted: (run: ScorecardRun) => boolean = () => true,
): readonly ScorecardRecord[] {
  return catalogue
    .filter(wanted)
    .map(({ name }) => join(folder, `${name}.json`))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as ScorecardRecord);
}
