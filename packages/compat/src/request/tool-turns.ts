import type { Value } from './field.ts';

/** The faults of a conversation, in words that the clients of an API read. */
export interface ToolTurnWords {
  /** A result has this id, but no call does. */
  readonly unknown: (id: string) => string;
  /** These calls have no result. */
  readonly missing: (ids: string) => string;
}

/**
 * Every tool call has its result in the messages right after it. All vendors refuse conversations in which this is
 * otherwise, and their refusal would look like a failure of theirs.
 */
export class ToolTurns {
  readonly #words: ToolTurnWords;
  /** The names of the tools whose results are still pending, by the id of the call. */
  readonly #open = new Map<string, string>();

  constructor(words: ToolTurnWords) {
    this.#words = words;
  }

  /** @param at The member to blame if the id is taken. */
  called({ id, name }: { readonly id: string; readonly name: string }, at: Value): void {
    if (this.#open.has(id)) at.fail('invalid_value', 'is the id of two tool calls');
    this.#open.set(id, name);
  }

  /** @param at The member that has the id. */
  answered(id: string, at: Value): string {
    return this.#open.delete(id) ? id : at.fail('invalid_value', this.#words.unknown(shown(id)));
  }

  /** The id of the call that a message of role `function` answers. */
  answeredByName(name: Value): string {
    const wanted = name.name();
    const [id = ''] = [...this.#open].find(([, called]) => called === wanted) ?? [];
    return this.#open.delete(id)
      ? id
      : name.fail('invalid_value', 'is not the function that was called in the message before');
  }

  /** @param at The member that continues as if all had been answered. */
  close(at: Value): void {
    const ids = [...this.#open.keys()].slice(0, 5).map(shown);
    if (ids.length > 0) at.fail('invalid_value', this.#words.missing(ids.join(', ')));
  }
}

const shown = (id: string): string => id.slice(0, 80);
