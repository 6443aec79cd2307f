/** Detects where a JSON object that arrives in pieces is complete. It does not validate the content. */
export class JsonEnd {
  #depth = 0;
  #hasBegun = false;
  #isInString = false;
  #isEscaped = false;

  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  push(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (character === '\\') this.#isEscaped = true;
        else if (character === '"') this.#isInString = false;
      } else if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') {
        this.#depth += 1;
        this.#hasBegun = true;
      } else if (character === '}' || character === ']') this.#depth -= 1;
    }
  }
}
