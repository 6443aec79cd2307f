import { mergeMetrics } from './merge-metrics.ts';
import type { FromMember, ToMember } from './messages.ts';

const VARIABLE = 'PATCHBAY_MEMBER';

/** The position of a process in a group of several that serve one port. */
export interface Membership {
  /** The number of processes. */
  readonly count: number;
  /** Whether it speaks for the group: shows the address and the first key. */
  readonly announces: boolean;
}

/** The environment of a process that will be a member. */
export function memberEnvironment(membership: Membership): NodeJS.ProcessEnv {
  return { [VARIABLE]: JSON.stringify(membership) };
}

/** The membership of this process; undefined if it serves alone. */
export function readMembership(env: NodeJS.ProcessEnv): Membership | undefined {
  const text = process.send && env[VARIABLE];
  return text ? (JSON.parse(text) as Membership) : undefined;
}

/** A member's side of the communication between the processes of a group. */
export interface GroupMember {
  /** The metrics of the whole group. */
  metrics(): Promise<string>;
  /** Report that requests are accepted. */
  listening(url: string): void;
  /** Report the metrics once more, for the time after the end of this process. */
  leave(): Promise<void>;
}

/**
 * @param own The metrics of this process.
 * @param onLeave Called when its successor listens.
 */
export function joinGroup(own: () => Promise<string>, onLeave: () => void): GroupMember {
  const waiting = new Map<number, (merged: string) => void>();
  const texts = new Map<number, string>();
  let last = 0;
  const send = (message: FromMember): void => void process.send?.(message);
  process.on('message', (message: ToMember) => {
    if (message.kind === 'read-metrics') {
      void own().then((text) => send({ kind: 'metrics', text }));
      return;
    }
    if (message.kind === 'leave') return onLeave();
    const { id, running, ended } = message;
    waiting.get(id)?.(mergeMetrics([texts.get(id) ?? '', ...running], [ended]));
    waiting.delete(id);
    texts.delete(id);
  });
  return {
    async metrics() {
      const text = await own();
      last += 1;
      const id = last;
      texts.set(id, text);
      const merged = new Promise<string>((resolve) => waiting.set(id, resolve));
      send({ kind: 'collect', id, text });
      return await merged;
    },
    listening: (url) => send({ kind: 'listening', url }),
    async leave() {
      const message: FromMember = { kind: 'metrics', text: await own() };
      await new Promise<void>((resolve) => {
        if (process.connected) process.send?.(message, () => resolve());
        else resolve();
      });
    },
  };
}
