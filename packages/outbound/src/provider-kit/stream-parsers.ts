/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Name of the event, where the server gave one. */
  readonly event?: string;
  readonly data: string;
}

/**
 * Takes the bytes of an event stream, wherever they are cut, and returns the events that they complete.
 *
 * An event that the end of the body cuts off is returned too: servers leave out the last empty line, and readers of the
 * data notice when it is incomplete.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line. Only new text is searched for line ends: a line may have megabytes. */
  #unfinished = '';
  #endedWithCr = false;
  #event: string | undefined;
  #data: string | undefined;

  push(bytes: Uint8Array): readonly ServerSentEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    const crlfWasCut = this.#endedWithCr && text.startsWith('\n');
    this.#endedWithCr = text.endsWith('\r');
    if (crlfWasCut) text = text.slice(1);
    const events: ServerSentEvent[] = [];
    if (text.includes('\r')) text = text.replaceAll(/\r\n?/g, '\n');
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const rest = text.slice(from, end);
      this.#take(from === 0 ? this.#unfinished + rest : rest, events);
      from = end + 1;
    }
    const rest = from === 0 ? text : text.slice(from);
    this.#unfinished = from === 0 ? this.#unfinished + rest : rest;
    return events;
  }

  end(): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const rest = this.#unfinished + this.#decoder.decode();
    if (rest !== '') this.#take(rest, events);
    this.#take('', events);
    return events;
  }

  #take(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data !== undefined) {
        events.push(this.#event === undefined ? { data: this.#data } : { event: this.#event, data: this.#data });
      }
      this.#event = undefined;
      this.#data = undefined;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#event = value;
  }
}

/** Takes the bytes of NDJSON, wherever they are cut, and returns the lines that they complete; empty lines are skipped. */
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
