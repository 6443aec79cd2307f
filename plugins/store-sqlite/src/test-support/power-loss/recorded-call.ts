/** A call by which a process changed a file. */
export type RecordedCall =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'remove'; readonly path: string }
  /** A line on standard output: here, a commit that was acknowledged. */
  | { readonly kind: 'print'; readonly text: string };

const CALL = /^(\w+)\((.*)\)\s+=\s+(-?\d+)/;
const STRING = /"((?:\\x[0-9a-f]{2})*)"/;

/** One call of a thread, without its number; the beginning of one during which another thread was recorded, and its end. */
const LINE = /^(\d+)\s+(.*)$/;
const BEGUN = /^(.*) <unfinished \.\.\.>$/;
const ENDED = /^<\.\.\. \w+ resumed>(.*)$/;

/** The calls of all threads, each where it ended, for until then it may have done nothing. */
function* wholeCalls(text: string): Generator<string> {
  const begun = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, thread = '', call = ''] = LINE.exec(line) ?? [];
    const [, beginning] = BEGUN.exec(call) ?? [];
    const [, end] = ENDED.exec(call) ?? [];
    // Its number is free from the beginning: another thread may get it before the end is recorded.
    if (beginning?.startsWith('close(')) yield `${beginning}) = 0`;
    else if (beginning !== undefined) begun.set(thread, beginning);
    else if (end === undefined) yield call;
    else if (begun.has(thread)) {
      yield `${begun.get(thread)}${end}`;
      begun.delete(thread);
    }
  }
}

/**
 * Read what `strace -f -xx` has written. Calls that failed changed nothing and are left out.
 *
 * @throws Error at a call that would change a file in a way that is not understood here: a replay without it would prove
 * nothing.
 */
export function* readRecording(text: string): Generator<RecordedCall> {
  const paths = new Map<number, string>();
  for (const call of wholeCalls(text)) {
    const [, name, body = '', result = '-1'] = CALL.exec(call) ?? [];
    if (name === undefined || Number(result) < 0) continue;
    const descriptor = Number.parseInt(body, 10);
    const path = paths.get(descriptor);
    if (name === 'openat') {
      const opened = bytesIn(body).toString();
      paths.set(Number(result), opened);
      if (body.includes('O_CREAT')) yield { kind: 'open', path: opened };
    } else if (name === 'close') paths.delete(descriptor);
    else if (name === 'write' && descriptor === 1) yield { kind: 'print', text: bytesIn(body).toString() };
    else if (name === 'unlink') yield { kind: 'remove', path: bytesIn(body).toString() };
    else if (path === undefined || path.startsWith('/proc/') || path.startsWith('/dev/')) continue;
    else if (name === 'pwrite64') yield { kind: 'write', path, offset: lastNumber(body), bytes: bytesIn(body) };
    else if (name === 'ftruncate') yield { kind: 'truncate', path, length: lastNumber(body) };
    else if (name === 'fsync' || name === 'fdatasync') yield { kind: 'sync', path };
    else throw new Error(`a replay does not know what ${name} does to ${path}`);
  }
}

function bytesIn(body: string): Buffer {
  return Buffer.from((STRING.exec(body)?.[1] ?? '').replaceAll('\\x', ''), 'hex');
}

function lastNumber(body: string): number {
  return Number(/(\d+)$/.exec(body)?.[1]);
}
