/** The acknowledged and the possible writes of one function. */
export interface Entry {
  readonly id: string;
  /** The description of each version that was acknowledged, the first first. */
  readonly versions: string[];
  deleted: boolean;
  /** A write that was sent and not acknowledged: it may be there or not. */
  pending: { readonly replace: string } | 'delete' | undefined;
}

/** The writes acknowledged so far, over all crashes. Each function is written by one client, one write at a time. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  /** Descriptions of functions whose creation was sent and not acknowledged. */
  readonly pendingCreates = new Set<string>();
  /** Inputs of executions that were acknowledged as completed, by their ids. */
  readonly executions = new Map<string, string>();
  /** Inputs of executions that were accepted to be run later, by their ids. */
  readonly accepted = new Map<string, string>();
  /** Functions that were written to since the last crash. */
  readonly touched = new Set<Entry>();
  acknowledged = 0;

  add(id: string, description: string): Entry {
    const entry: Entry = { id, versions: [description], deleted: false, pending: undefined };
    this.entries.set(id, entry);
    this.touched.add(entry);
    return entry;
  }
}
