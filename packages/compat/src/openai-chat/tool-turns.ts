import type { Field } from '../request/field.ts';

/**
 * Every call of a tool has its result in the messages right behind it. All vendors refuse conversations in which that is
 * otherwise, and their refusal would look like a failure of theirs.
 */
export class ToolTurns {
  /** The names of the tools whose results are still to come, by the id of the call. */
  readonly #open = new Map<string, string>();

  called(id: Field, name: string): void {
    this.calledAs(id.name(), name, id);
  }

  /** @param at The member to blame where the id is taken. */
  calledAs(id: string, name: string, at: Field): void {
    if (this.#open.has(id)) at.fail('invalid_value', 'is the id of two tool calls');
    this.#open.set(id, name);
  }

  answered(id: Field): string {
    const text = id.name();
    if (!this.#open.delete(text)) id.fail('invalid_value', 'is not the id of a tool call in the message before');
    return text;
  }

  /** The id of the call that a message of role `function` answers. */
  answeredByName(name: Field): string {
    const wanted = name.name();
    const [id] = [...this.#open].find(([, called]) => called === wanted) ?? [];
    if (id === undefined)
      return name.fail('invalid_value', 'is not the function that was called in the message before');
    this.#open.delete(id);
    return id;
  }

  /** @param message Says something else, or is the last one. */
  close(message: Field, isLast = false): void {
    const [id] = this.#open.keys();
    if (id === undefined) return;
    const missing = `of the tool call ${JSON.stringify(id.slice(0, 80))}`;
    message.fail(
      'invalid_value',
      isLast ? `must be followed by the result ${missing}` : `must be the result ${missing}`,
    );
  }
}
