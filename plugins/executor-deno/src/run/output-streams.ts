import type { Readable } from 'node:stream';
import type { ChildProcess } from '../launch/child-process.ts';
import type { LogCollector } from './log-collector.ts';
import { LogReader } from './log-reader.ts';

const FLOOD_BYTES = 4 * 1024 * 1024;
const TAIL_CHARACTERS = 8192;

export interface OutputStreams {
  /**
   * From here on, what is written is the log of a run; around it, nothing is expected and nothing kept.
   *
   * @returns Settles when both streams said that the run is through, or are closed.
   */
  assign(logs: LogCollector, onFlood: () => void): Promise<void>;
  /** The run has written all that it ever will. */
  endRun(): void;
  /** The last part of stderr, where the engine says why it gave up. */
  errorTail(): string;
}

/** What a stream writes for one run. */
interface Part {
  readonly logs: LogCollector;
  readonly onFlushed: () => void;
}

/** Collect what a process writes on stdout and stderr, and say when it writes beyond measure. */
export function collectOutput(process: ChildProcess, whenFlooded: () => void): OutputStreams {
  let onFlood = whenFlooded;
  let bytes = 0;
  let tail = '';
  const count = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > FLOOD_BYTES) onFlood();
    return bytes <= FLOOD_BYTES;
  };
  const out = collectOut(process.stdout, count);
  const error = collectError(process.stderr, (chunk) => {
    tail = `${tail}${chunk.toString('latin1')}`.slice(-TAIL_CHARACTERS);
    return count(chunk);
  });
  // Connections come paused, so that nothing is lost before somebody listens.
  process.stdout.resume();
  process.stderr.resume();
  return {
    errorTail: () => tail,
    async assign(logs, whenFloodedNow) {
      bytes = 0;
      onFlood = whenFloodedNow;
      await Promise.all([out.begin(logs), error.begin(logs)]);
    },
    endRun() {
      out.end();
      error.end();
    },
  };
}

function collectOut(stream: Readable, accept: (chunk: Buffer) => boolean): Parts {
  const parts = new Parts(stream);
  const reader = new LogReader({
    level: 'info',
    onLine: (level, line, fields) => parts.current?.logs.add(level, line, fields),
    onFlushed: () => parts.end(),
  });
  stream.on('data', (chunk: Buffer) => {
    if (accept(chunk)) reader.push(chunk);
  });
  stream.once('close', () => reader.end());
  return parts;
}

function collectError(stream: Readable, accept: (chunk: Buffer) => boolean): Parts {
  const parts = new Parts(stream);
  // The console writes to stdout only. What is on stderr at an end without the mark is the engine's crash report, with
  // paths and addresses of the host, and no log of the author's.
  const held: string[] = [];
  const reader = new LogReader({
    level: 'error',
    onLine: (_, line) => held.push(line),
    onFlushed() {
      for (const line of held.splice(0)) parts.current?.logs.add('error', line);
      parts.end();
    },
  });
  stream.on('data', (chunk: Buffer) => {
    if (accept(chunk)) reader.push(chunk);
  });
  return parts;
}

/** The runs that a stream serves, one after the other. */
class Parts {
  #current: Part | undefined;
  #isClosed = false;

  constructor(stream: Readable) {
    stream.once('close', () => {
      this.#isClosed = true;
      // The last lines come with the same event.
      queueMicrotask(() => this.end());
    });
  }

  get current(): Part | undefined {
    return this.#current;
  }

  begin(logs: LogCollector): Promise<void> {
    return new Promise((resolve) => {
      this.#current = { logs, onFlushed: resolve };
      if (this.#isClosed) this.end();
    });
  }

  end(): void {
    const current = this.#current;
    this.#current = undefined;
    current?.onFlushed();
  }
}
