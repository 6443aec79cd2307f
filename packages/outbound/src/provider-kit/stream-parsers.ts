import type { JoinedDocuments } from '@patchbay/contracts/base/repeated-json';
import type { ChatDelta } from '@patchbay/contracts/provider';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Name of the event, if the server gave one. */
  readonly event?: string;
  readonly data: string;
}

/**
 * Takes the bytes of an event stream, wherever they are cut, and returns the events that they complete.
 *
 * An event that the end of the body cuts off is returned too: servers omit the last empty line, and readers of the
 * data notice when it is incomplete.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line. Only new text is searched for line ends: a line may be megabytes long. */
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
      if (from === 0 && this.#unfinished !== '') {
        const line = this.#unfinished + text.slice(0, end);
        this.#take(line, 0, line.length, events);
      } else this.#take(text, from, end, events);
      from = end + 1;
    }
    const rest = from === 0 ? text : text.slice(from);
    this.#unfinished = from === 0 ? this.#unfinished + rest : rest;
    return events;
  }

  end(): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const rest = this.#unfinished + this.#decoder.decode();
    if (rest !== '') this.#take(rest, 0, rest.length, events);
    this.#take('', 0, 0, events);
    return events;
  }

  /** Takes the line between two positions of a string. */
  #take(text: string, from: number, to: number, events: ServerSentEvent[]): void {
    if (from === to) {
      if (this.#data !== undefined) {
        events.push(this.#event === undefined ? { data: this.#data } : { event: this.#event, data: this.#data });
      }
      this.#event = undefined;
      this.#data = undefined;
      return;
    }
    const data = fieldValue('data', text, from, to);
    if (data !== undefined) this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    else this.#event = fieldValue('event', text, from, to) ?? this.#event;
  }
}

const [colon, space] = [0x3a, 0x20];

/** The value of a line; undefined for one of another field. */
function fieldValue(field: string, text: string, from: number, to: number): string | undefined {
  const end = from + field.length;
  if (end > to || !text.startsWith(field, from)) return undefined;
  if (end === to) return '';
  if (text.charCodeAt(end) !== colon) return undefined;
  return text.slice(end + 1 < to && text.charCodeAt(end + 1) === space ? end + 2 : end + 1, to);
}

/** Takes the bytes of NDJSON, wherever they are cut, and returns the lines that they complete; empty lines are skipped. */
class JsonLineParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line. Only new text is searched for line ends: a line may be megabytes long. */
  #unfinished = '';

  push(bytes: Uint8Array): readonly { readonly data: string }[] {
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n');
    lines[0] = this.#unfinished + lines[0];
    this.#unfinished = lines.pop() ?? '';
    return lines.flatMap(eventOf);
  }

  /** The last line may lack its line end. */
  end(): readonly { readonly data: string }[] {
    return eventOf(this.#unfinished + this.#decoder.decode());
  }
}

function eventOf(line: string): readonly { readonly data: string }[] {
  const data = line.trim();
  return data === '' ? [] : [{ data }];
}

const eventStream = /text\/event-stream/i;
const lines = /^application\/(?:x-)?(?:ndjson|jsonl|json-lines)\b/i;

/** Whether a body of this type is a stream of events. Types of media are not case-sensitive. */
export function isEventStream(contentType: string): boolean {
  return eventStream.test(contentType);
}

/** The parser for the type of a body; undefined for one that is no stream of events. */
export function parserFor(contentType: string): EventParser | JsonLineParser | undefined {
  if (isEventStream(contentType)) return new EventParser();
  return lines.test(contentType) ? new JsonLineParser() : undefined;
}

/** The responses of a transport can be iterated directly, which avoids a web stream. */
export function piecesOf(response: Response & Partial<AsyncIterable<Uint8Array>>): AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in response ? (response as AsyncIterable<Uint8Array>) : (response.body ?? nothing());
}

async function* nothing(): AsyncGenerator<never> {}

/** Add the deltas a reader made from joined events. Those before their text come first; the text keeps its pieces. */
export function addPieces({ pieces }: JoinedDocuments, said: readonly ChatDelta[], deltas: ChatDelta[]): void {
  const last = said.at(-1);
  const joined = pieces.join('');
  if (!last || !('text' in last) || !last.text.endsWith(joined)) {
    deltas.push(...said);
    return;
  }
  deltas.push(...said.slice(0, -1));
  const own = pieces.filter((piece) => piece !== '');
  // Some readers put a space between two parts.
  const before = last.text.slice(0, last.text.length - joined.length);
  if (own.length > 0) own[0] = before + own[0];
  if (last.type === 'text' || last.type === 'reasoning') {
    if (own.length > 0) deltas.push(own.length > 1 ? { ...last, pieces: own } : last);
  } else for (const text of own) deltas.push({ ...last, text });
}
