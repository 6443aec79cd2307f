import type { Readable } from 'node:stream';
import type { ChildProcess } from './child-process.ts';
import type { LogCollector } from './log-collector.ts';

const FLOOD_BYTES = 4 * 1024 * 1024;
const TAIL_CHARACTERS = 2048;

export interface OutputStreams {
  /** Settles when both streams said that they are through, or are closed. */
  readonly flushed: Promise<void>;
  /** The last part of stderr, where V8 says why it gave up. */
  errorTail(): string;
}

/** Collect what a process writes on stdout and stderr, and say when it writes beyond measure. */
export function collectOutput(process: ChildProcess, logs: LogCollector, onFlood: () => void): OutputStreams {
  let bytes = 0;
  let tail = '';
  const follow = (stream: Readable, level: 'info' | 'error'): Promise<void> =>
    new Promise((resolve) => {
      const reader = logs.reader(level, resolve);
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > FLOOD_BYTES) {
          onFlood();
          return;
        }
        if (level === 'error') tail = `${tail}${chunk.toString('latin1')}`.slice(-TAIL_CHARACTERS);
        reader.push(chunk);
      });
      stream.on('close', () => {
        reader.end();
        resolve();
      });
    });
  const both = Promise.all([follow(process.stdout, 'info'), follow(process.stderr, 'error')]);
  return { flushed: both.then(() => undefined), errorTail: () => tail };
}
