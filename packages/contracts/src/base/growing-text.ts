/** Pieces that wait to be joined. */
const WAITING = 64;

/**
 * A text that grows by small pieces. Appended to a string one by one, each would stay an object of its own for as long
 * as the text lives, and the garbage collector would copy them all: with a hundred streams, that is most of its work.
 */
export class GrowingText {
  #text: string;
  #waiting: string[] = [];

  constructor(text = '') {
    this.#text = text;
  }

  add(piece: string): void {
    this.#waiting.push(piece);
    if (this.#waiting.length === WAITING) this.#join();
  }

  get text(): string {
    if (this.#waiting.length > 0) this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#waiting.join('');
    this.#waiting = [];
  }
}
