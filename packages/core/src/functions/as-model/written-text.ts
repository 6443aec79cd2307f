import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import { steadyText } from './steady-text.ts';

/** The JSON text of an output that grows, in pieces that are never taken back. */
export class WrittenText {
  #sent = '';
  #before = '';

  /** The next piece, from the output so far. Empty while a second attempt writes the same again. */
  grow(output: JsonObject): string {
    return this.#next(beginningOf(output), false);
  }

  /**
   * The next piece, from an output that replaces the previous one. Empty if that cannot be told apart from what may
   * change.
   */
  replace(output: JsonObject): string {
    const text = JSON.stringify(output);
    const steady = steadyText(text, this.#before);
    this.#before = text;
    return steady.startsWith(this.#sent) ? this.#next(steady, false) : '';
  }

  /** @throws PatchbayError `function_output_invalid` if another output was begun. */
  end(output: JsonObject): string {
    return this.#next(jsonTextOf(output), true);
  }

  #next(text: string, isWhole: boolean): string {
    if (!isWhole && this.#sent.startsWith(text)) return '';
    if (!text.startsWith(this.#sent)) throw rewritten();
    const piece = text.slice(this.#sent.length);
    this.#sent = text;
    return piece;
  }
}

function rewritten(): PatchbayError {
  const message = 'the output was written anew after a part of it was sent; without a stream, the output comes whole';
  return new PatchbayError('function_output_invalid', message);
}

/** The text up to where it may continue: without the end of what was written last. */
function beginningOf(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value).slice(0, -1);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const whole = value.slice(0, -1).map((item) => `${JSON.stringify(item)},`);
    return `[${whole.join('')}${value.length > 0 ? beginningOf(value.at(-1) as JsonValue) : ''}`;
  }
  const members = Object.entries(value as JsonObject);
  // Such names are sorted: one added later may come before them.
  if (members.some(([name]) => /^\d+$/.test(name))) return '{';
  const last = members.pop();
  const whole = members.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)},`);
  return `{${whole.join('')}${last ? `${JSON.stringify(last[0])}:${beginningOf(last[1])}` : ''}`;
}
