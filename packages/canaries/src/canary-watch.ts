import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { canaryMark } from './canary.ts';
import { type Find, findPatterns, type Pattern, patternsOf } from './find-secrets.ts';
import { handedOut } from './handed-out.ts';
import { type Searched, searched } from './searched.ts';

/** Counts of what has been searched so far, and the finds. */
export interface CanaryReport {
  /** Names of the canaries that were made. */
  readonly planted: readonly string[];
  readonly finds: readonly string[];
  /** Pieces of answers: as many as arrived at a time. */
  readonly answers: number;
  readonly logs: number;
  readonly files: number;
  readonly bytes: number;
}

export interface CanaryWatch {
  report(): CanaryReport;
  stop(): void;
}

/** Longer than any form of a secret, so that none is missed between two pieces of an answer. */
const OVERLAP = 400;

/**
 * Search everything that clients in this process receive over TCP, and everything that is handed over for it.
 *
 * @param during What is under test right now, for the report.
 * @param mark Default: the one in every canary.
 */
export function watchCanaries(during: () => string, mark: string = canaryMark): CanaryWatch {
  const marks = patternsOf('a canary', mark);
  const handed = new Map<string, readonly Pattern[]>();
  const upstreams = new Set<number>();
  const planted = new Set<string>();
  const finds = new Set<string>();
  const count = { answer: 0, log: 0, file: 0, bytes: 0 };

  const note = (place: string, all: readonly Find[]): void => {
    for (const { what, around } of all) finds.add(`${what} in ${place}, ${during()}: ${around}`);
  };
  const search = (kind: 'answer' | 'log' | 'file', place: string, bytes: Buffer, seen = false): void => {
    count[kind] += 1;
    count.bytes += bytes.length;
    note(place, findPatterns(bytes, marks));
    if (kind === 'answer') {
      const { secrets, elsewhere } = handedOut(bytes, seen);
      for (const secret of secrets) handed.set(secret, patternsOf('a secret that was handed out', secret));
      note(place, elsewhere);
    } else for (const patterns of handed.values()) note(place, findPatterns(bytes, patterns));
  };
  const take = (message: unknown): void => {
    const given = message as Searched;
    if (given.kind === 'upstream') upstreams.add(given.port);
    else if (given.kind === 'planted') planted.add(given.name);
    else search(given.kind, given.place, given.bytes);
  };
  const listen = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const receive = socket.push.bind(socket);
    let before: Buffer = Buffer.alloc(0);
    socket.push = function push(chunk: unknown, encoding?: BufferEncoding): boolean {
      if (Buffer.isBuffer(chunk) && socket.remotePort !== undefined && !upstreams.has(socket.remotePort)) {
        const all = Buffer.concat([before, chunk]);
        search('answer', 'an answer', withoutFrames(all), before.length > 0);
        before = all.subarray(-OVERLAP);
      }
      return receive(chunk, encoding);
    };
  };
  subscribe(searched.name, take);
  subscribe('net.client.socket', listen);
  return {
    report: () => ({
      planted: [...planted],
      finds: [...finds],
      answers: count.answer,
      logs: count.log,
      files: count.file,
      bytes: count.bytes,
    }),
    stop() {
      unsubscribe(searched.name, take);
      unsubscribe('net.client.socket', listen);
    },
  };
}

/** Without the chunk sizes of a body: one may cut a secret in two. */
function withoutFrames(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(/\r\n[0-9a-f]{1,8}\r\n/g, ''), 'latin1');
}
