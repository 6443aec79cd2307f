import type { Candidate } from '@patchbay/contracts/router';
import type { TaskRecordRow } from '@patchbay/contracts/rows';
import { addFits, type FitCounts, fadedTo } from './fit-counts.ts';
import { addScores, decayedTo, type ScoreCounts } from './score-counts.ts';

/** Counts of one model under one version of the settings. */
export type ModelCounts = Pick<TaskRecordRow, 'settingsVersion' | 'model' | 'fit' | 'scores'>;

/** The record of a model, as routers receive it. */
export type ModelRecord = Pick<Candidate, 'fit' | 'scores' | 'earlierScores'>;

/** In this time, counts decay by less than a ten-thousandth: records stay as they are for this long. */
const READ_FOR_MS = 1_000;
/** Of a model without counts. */
const unknown: ModelRecord = { fit: undefined, scores: undefined, earlierScores: undefined };
/** Counts below this are negligible. */
const FORGOTTEN_BELOW = 0.05;

/** The counts of one model with others of it. */
export function addCounts(one: ModelCounts | undefined, other: ModelCounts): ModelCounts {
  if (!one) return other;
  const { settingsVersion, model, fit, scores } = other;
  return {
    settingsVersion,
    model,
    fit: fit && one.fit ? addFits(one.fit, fit) : (fit ?? one.fit),
    scores: scores && one.scores ? addScores(one.scores, scores) : (scores ?? one.scores),
  };
}

interface ReadRecords {
  readonly at: number;
  readonly byModel: Map<string, ModelRecord>;
  readonly recordOf: (model: string) => ModelRecord;
}

/** The record of one task in the memory of this process: what is stored, and what has not been written yet. */
export class TaskMemory {
  #totals: CountsByVersion = new Map();
  #unwritten: CountsByVersion = new Map();
  /** By version of the settings. */
  readonly #read = new Map<number, ReadRecords>();

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  add(counts: ModelCounts): void {
    put(this.#totals, counts);
    put(this.#unwritten, counts);
    // Scores count under later versions, too.
    if (counts.scores) this.#read.clear();
    else this.#readFit(counts);
  }

  /**
   * Without a new score, the scores of a record stay the same object: routers cache what they have learned from them.
   */
  #readFit({ settingsVersion, model }: ModelCounts): void {
    const read = this.#read.get(settingsVersion);
    const known = read?.byModel.get(model);
    if (!read || !known) return;
    const { scores, earlierScores } = known;
    const fit = fitAt(this.#totals.get(settingsVersion)?.get(model)?.fit, read.at);
    read.byModel.set(model, { fit, scores, earlierScores });
  }

  /** The counts to be written now; `putBack` those that could not be. */
  take(): readonly ModelCounts[] {
    const taken = countsOf(this.#unwritten);
    this.#unwritten = new Map();
    return taken;
  }

  /** Follow the rows of the storage. */
  replace(rows: readonly TaskRecordRow[]): void {
    this.#totals = new Map();
    for (const row of rows) put(this.#totals, row);
    for (const counts of countsOf(this.#unwritten)) put(this.#totals, counts);
    this.#read.clear();
  }

  /** The counts are still in the totals. */
  putBack(taken: readonly ModelCounts[]): void {
    for (const counts of taken) put(this.#unwritten, counts);
  }

  /** The records under one version of the settings, as of a time, or of a moment before. */
  recordsOf(settingsVersion: number, now: number): (model: string) => ModelRecord {
    const read = this.#read.get(settingsVersion);
    if (read && read.at <= now && now < read.at + READ_FOR_MS) return read.recordOf;
    const earlier = this.#scoredBefore(settingsVersion);
    const byModel = new Map<string, ModelRecord>();
    const recordOf = (model: string): ModelRecord => {
      const known = byModel.get(model);
      if (known) return known;
      const of = this.#totals.get(settingsVersion)?.get(model);
      const before = earlier?.get(model);
      if (!of && !before) return unknown;
      const record = {
        fit: fitAt(of?.fit, now),
        scores: scoresAt(of?.scores, now),
        earlierScores: scoresAt(before?.scores, now),
      };
      byModel.set(model, record);
      return record;
    };
    this.#read.set(settingsVersion, { at: now, byModel, recordOf });
    return recordOf;
  }

  /** The counts under the latest version before this one that has scores. */
  #scoredBefore(version: number): CountsByModel | undefined {
    const earlier = [...this.#totals.keys()].filter((each) => each < version).sort((one, other) => other - one);
    return earlier.map((each) => this.#totals.get(each)).find((counts) => counts && hasScores(counts));
  }
}

type CountsByModel = Map<string, ModelCounts>;
type CountsByVersion = Map<number, CountsByModel>;

const hasScores = (counts: CountsByModel): boolean => [...counts.values()].some(({ scores }) => scores !== null);

const countsOf = (kept: CountsByVersion): readonly ModelCounts[] =>
  [...kept.values()].flatMap((counts) => [...counts.values()]);

function fitAt(counts: FitCounts | null | undefined, now: number): FitCounts | undefined {
  const fit = counts ? fadedTo(counts, now) : undefined;
  return fit && fit.asked >= FORGOTTEN_BELOW ? fit : undefined;
}

function scoresAt(counts: ScoreCounts | null | undefined, now: number): ScoreCounts | undefined {
  const scores = counts ? decayedTo(counts, now) : undefined;
  return scores && scores.count >= FORGOTTEN_BELOW ? scores : undefined;
}

function put(kept: CountsByVersion, counts: ModelCounts): void {
  const { settingsVersion, model } = counts;
  const ofVersion = kept.get(settingsVersion) ?? new Map<string, ModelCounts>();
  kept.set(settingsVersion, ofVersion);
  ofVersion.set(model, addCounts(ofVersion.get(model), counts));
}

/** Of one model under one version of the settings, within its task. */
export const keyOf = ({ settingsVersion, model }: Pick<ModelCounts, 'settingsVersion' | 'model'>): string =>
  `${settingsVersion} ${model}`;
