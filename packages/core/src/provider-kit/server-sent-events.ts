/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Name of the event, where the server gave one. */
  readonly event?: string;
  readonly data: string;
}

/**
 * Reads the events of a body. Ending the iteration cancels the body.
 *
 * An event that the end of the body cuts off is given too: servers leave out the last empty line, and whoever reads the
 * data notices when it is not whole.
 */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event: string | undefined;
  let data: string[] = [];
  const take = (): ServerSentEvent | undefined => {
    const taken = data.length === 0 ? undefined : { ...(event === undefined ? {} : { event }), data: data.join('\n') };
    event = undefined;
    data = [];
    return taken;
  };
  for await (const line of lines(body)) {
    if (line === '') {
      const complete = take();
      if (complete) yield complete;
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
  }
  const last = take();
  if (last) yield last;
}

/** Lines that end with LF, CR or CRLF, wherever the pieces of the body are cut. */
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Only new text is searched for line ends: a line of megabytes must not be searched again with each piece of it.
  let unfinished = '';
  let endedWithCr = false;
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') continue;
    const crlfWasCut = endedWithCr && text.startsWith('\n');
    endedWithCr = text.endsWith('\r');
    if (crlfWasCut) text = text.slice(1);
    const pieces = text.split(/\r\n|\r|\n/);
    pieces[0] = unfinished + pieces[0];
    unfinished = pieces.pop() ?? '';
    yield* pieces;
  }
  unfinished += decoder.decode();
  if (unfinished !== '') yield unfinished;
}
