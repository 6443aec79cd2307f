import type { Value } from '../request/field.ts';

/**
 * Every call of a tool has its result in the messages right behind it. All vendors refuse conversations in which that is
 * otherwise, and their refusal would look like a failure of theirs.
 */
export class ToolTurns {
  /** The names of the tools whose results are still to come, by the id of the call. */
  readonly #open = new Map<string, string>();

  /** @param at The member to blame where the id is taken. */
  called({ id, name }: { readonly id: string; readonly name: string }, at: Value): void {
    if (this.#open.has(id)) at.fail('invalid_value', 'is the id of two tool calls');
    this.#open.set(id, name);
  }

  answered(id: Value): string {
    const text = id.name();
    if (!this.#open.delete(text)) id.fail('invalid_value', 'is not the id of a tool call in the message before');
    return text;
  }

  /** The id of the call that a message of role `function` answers. */
  answeredByName(name: Value): string {
    const wanted = name.name();
    const [id] = [...this.#open].find(([, called]) => called === wanted) ?? [];
    if (id === undefined)
      return name.fail('invalid_value', 'is not the function that was called in the message before');
    this.#open.delete(id);
    return id;
  }

  /** @param message Says something else, or is the last one. */
  close(message: Value, isLast = false): void {
    const [id] = this.#open.keys();
    if (id === undefined) return;
    const missing = `of the tool call ${JSON.stringify(id.slice(0, 80))}`;
    message.fail(
      'invalid_value',
      isLast ? `must be followed by the result ${missing}` : `must be the result ${missing}`,
    );
  }
}
