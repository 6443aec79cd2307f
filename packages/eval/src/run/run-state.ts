import type { CellResult } from './evaluation.ts';
import type { JournalLine, RunHead, RunKey } from './journal.ts';

/** The progress of a cell. */
export interface CellState {
  /** How often it did not run although it was sent. */
  readonly refusals: number;
  /** It was sent, and may have been accepted. */
  readonly isStarted: boolean;
  readonly execution?: string;
  readonly result?: CellResult;
}

interface Asked {
  readonly failures: number;
  /** The answer. Undefined: there is none. */
  readonly json: unknown;
}

const untouched: CellState = { refusals: 0, isStarted: false };

/** The progress of a run, from its journal. */
export class RunState {
  head: RunHead | undefined;
  /** The last one. */
  key: RunKey | undefined;
  /** In billionths of a dollar. Calls with an unknown price count as 0. */
  spent = 0;
  /** Why the last cell that did not run was refused. */
  refusal = '';
  /** How often its scores were added to the data of automatic choice, or removed. */
  applications = 0;
  /** How many cells have ended. */
  ended = 0;
  readonly #asked = new Map<string, Asked>();
  readonly #cells = new Map<string, CellState>();

  /** The answer to a request of a check, if there is one. @param request Its digest. */
  asked(request: string): Asked {
    return this.#asked.get(request) ?? { failures: 0, json: undefined };
  }

  of(cell: string): CellState {
    return this.#cells.get(cell) ?? untouched;
  }

  readonly take = (line: JournalLine): void => {
    if (line.type === 'run') this.head = line;
    else if (line.type === 'key') this.key = line;
    else if (line.type === 'applied') this.applications += 1;
    else if (line.type === 'asked') {
      this.spent += line.cost ?? 0;
      const failures = this.asked(line.request).failures + (line.json === undefined ? 1 : 0);
      this.#asked.set(line.request, { failures, json: line.json });
    } else {
      const state = this.of(line.cell);
      if (line.type === 'refused' || line.type === 'ended') this.spent += line.cost ?? 0;
      if (line.type === 'started') this.#cells.set(line.cell, { ...state, isStarted: true });
      else if (line.type === 'accepted') this.#cells.set(line.cell, { ...state, execution: line.execution });
      else if (line.type === 'refused') {
        this.refusal = line.message;
        this.#cells.set(line.cell, { refusals: state.refusals + 1, isStarted: false });
      } else {
        this.ended += 1;
        this.#cells.set(line.cell, { ...state, result: line });
      }
    }
  };
}
