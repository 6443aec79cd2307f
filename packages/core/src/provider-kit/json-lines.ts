/** Takes the bytes of NDJSON, wherever they are cut, and gives the lines that they complete; empty lines are skipped. */
export class JsonLineParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line. Only new text is searched for line ends: a line may have megabytes. */
  #unfinished = '';

  push(bytes: Uint8Array): readonly { readonly data: string }[] {
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n');
    lines[0] = this.#unfinished + lines[0];
    this.#unfinished = lines.pop() ?? '';
    return lines.flatMap(eventOf);
  }

  /** The last line may come without its end. */
  end(): readonly { readonly data: string }[] {
    return eventOf(this.#unfinished + this.#decoder.decode());
  }
}

function eventOf(line: string): readonly { readonly data: string }[] {
  const data = line.trim();
  return data === '' ? [] : [{ data }];
}
