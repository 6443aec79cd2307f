import type { Readable } from 'node:stream';
import type { ChildProcess } from './child-process.ts';
import type { LogCollector } from './log-collector.ts';
import { LogReader } from './log-reader.ts';

const FLOOD_BYTES = 4 * 1024 * 1024;
const TAIL_CHARACTERS = 8192;

export interface OutputStreams {
  /** From here on, what is written is a run's log. Before, nothing is expected. */
  assign(logs: LogCollector, onFlood: () => void): void;
  /** Settles when both streams said that they are through, or are closed. */
  readonly flushed: Promise<void>;
  /** The last part of stderr, where the engine says why it gave up. */
  errorTail(): string;
}

/** Collect what a process writes on stdout and stderr, and say when it writes beyond measure. */
export function collectOutput(process: ChildProcess, whenFlooded: () => void): OutputStreams {
  let logs: LogCollector | undefined;
  let onFlood = whenFlooded;
  let bytes = 0;
  let tail = '';
  const follow = (stream: Readable, onChunk: (chunk: Buffer) => void): Promise<void> => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > FLOOD_BYTES) onFlood();
      else onChunk(chunk);
    });
    return new Promise((resolve) => stream.once('close', resolve));
  };

  const outFlushed = new Promise<void>((resolve) => {
    const reader = new LogReader({
      level: 'info',
      onLine: (level, line) => logs?.add(level, line),
      onFlushed: resolve,
    });
    void follow(process.stdout, (chunk) => reader.push(chunk)).then(() => {
      reader.end();
      resolve();
    });
  });

  const errorFlushed = new Promise<void>((resolve) => {
    // The console writes to stdout only. What is on stderr at an end without the mark is the engine's crash report,
    // with paths and addresses of the host, and no log of the author's.
    const held: string[] = [];
    const reader = new LogReader({
      level: 'error',
      onLine: (_, line) => held.push(line),
      onFlushed() {
        for (const line of held.splice(0)) logs?.add('error', line);
        resolve();
      },
    });
    const closed = follow(process.stderr, (chunk) => {
      tail = `${tail}${chunk.toString('latin1')}`.slice(-TAIL_CHARACTERS);
      reader.push(chunk);
    });
    void closed.then(resolve);
  });

  const flushed = Promise.all([outFlushed, errorFlushed]).then(() => undefined);
  return {
    flushed,
    errorTail: () => tail,
    assign(collector, whenFloodedNow) {
      logs = collector;
      onFlood = whenFloodedNow;
    },
  };
}
