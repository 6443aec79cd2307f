import type { Candidate } from '../../contracts/router.ts';
import type { TaskRecordRow } from '../../contracts/rows.ts';
import { addFits, type FitCounts, fadedTo } from './fit-counts.ts';
import { addScores, decayedTo, type ScoreCounts } from './score-counts.ts';

/** Counts of one model under one version of the settings. */
export type ModelCounts = Pick<TaskRecordRow, 'settingsVersion' | 'model' | 'fit' | 'scores'>;

/** The record of a model, as routers receive it. */
export type ModelRecord = Pick<Candidate, 'fit' | 'scores' | 'earlierScores'>;

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

/** The record of one task in the memory of this process: that of the storage, and what was not written yet. */
export class TaskMemory {
  #totals = new Map<string, ModelCounts>();
  #unwritten = new Map<string, ModelCounts>();

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  add(counts: ModelCounts): void {
    put(this.#totals, counts);
    put(this.#unwritten, counts);
  }

  /** The counts to be written now; `putBack` those that could not be. */
  take(): readonly ModelCounts[] {
    const taken = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    return taken;
  }

  /** Follow the rows of the storage. */
  replace(rows: readonly TaskRecordRow[]): void {
    this.#totals = new Map();
    for (const row of rows) put(this.#totals, row);
    for (const counts of this.#unwritten.values()) put(this.#totals, counts);
  }

  /** They are still in the totals. */
  putBack(taken: readonly ModelCounts[]): void {
    for (const counts of taken) put(this.#unwritten, counts);
  }

  /** The records under one version of the settings, at a time. */
  recordsOf(settingsVersion: number, now: number): (model: string) => ModelRecord {
    const earlier = this.#versionBefore(settingsVersion);
    return (model) => {
      const { fit, scores } = this.#totals.get(keyOf({ settingsVersion, model })) ?? {};
      const before = earlier === undefined ? undefined : this.#totals.get(keyOf({ settingsVersion: earlier, model }));
      return {
        ...fitAt(fit, now),
        ...scoresAt('scores', scores, now),
        ...scoresAt('earlierScores', before?.scores, now),
      };
    };
  }

  /** The latest version before this one that has scores. */
  #versionBefore(version: number): number | undefined {
    let found: number | undefined;
    for (const { settingsVersion, scores } of this.#totals.values()) {
      if (scores && settingsVersion < version && settingsVersion > (found ?? -1)) found = settingsVersion;
    }
    return found;
  }
}

function fitAt(counts: FitCounts | null | undefined, now: number): Pick<Candidate, 'fit'> {
  const fit = counts && fadedTo(counts, now);
  return fit && fit.asked >= FORGOTTEN_BELOW ? { fit } : {};
}

function scoresAt(name: 'scores' | 'earlierScores', counts: ScoreCounts | null | undefined, now: number): ModelRecord {
  const scores = counts && decayedTo(counts, now);
  return scores && scores.count >= FORGOTTEN_BELOW ? { [name]: scores } : {};
}

function put(kept: Map<string, ModelCounts>, counts: ModelCounts): void {
  const key = keyOf(counts);
  kept.set(key, addCounts(kept.get(key), counts));
}

/** Of one model under one version of the settings, within its task. */
export const keyOf = ({ settingsVersion, model }: Pick<ModelCounts, 'settingsVersion' | 'model'>): string =>
  `${settingsVersion} ${model}`;
