import type { RecordedCall } from './recorded-call.ts';

type Change = Extract<RecordedCall, { kind: 'write' | 'truncate' }>;

/** Bytes that a disk writes whole or not at all. */
const SECTOR = 512;

/**
 * Which of the writes that were not synced yet a disk has kept when its power fails. `random` returns a number from 0
 * to 1.
 */
type Survivors = 'none' | { readonly random: () => number };

/**
 * Files as a disk has them when its power fails. What was synced is there. Of what was not, the disk has kept nothing,
 * or some sectors of some writes, in no order: both are allowed to it.
 */
export class SimulatedDisk {
  readonly #durable = new Map<string, Buffer>();
  readonly #pending = new Map<string, Change[]>();

  apply(call: RecordedCall): void {
    if (call.kind === 'write' || call.kind === 'truncate') {
      const changes = this.#pending.get(call.path);
      if (changes === undefined) this.#pending.set(call.path, [call]);
      else changes.push(call);
    } else if (call.kind === 'sync') {
      const changes = this.#pending.get(call.path) ?? [];
      this.#pending.delete(call.path);
      if (changes.length > 0) this.#durable.set(call.path, changed(this.#contents(call.path), changes));
    } else if (call.kind === 'remove') {
      this.#pending.delete(call.path);
      this.#durable.delete(call.path);
    }
  }

  /** The files after a loss of power at this moment. */
  afterPowerLoss(survivors: Survivors): ReadonlyMap<string, Buffer> {
    if (survivors === 'none') return new Map(this.#durable);
    const files = new Map(this.#durable);
    for (const [path, changes] of this.#pending) {
      const kept = changes.flatMap((one) => sectors(one)).filter(() => survivors.random() < 0.5);
      if (kept.length > 0) files.set(path, changed(this.#contents(path), kept));
    }
    return files;
  }

  #contents(path: string): Buffer {
    return this.#durable.get(path) ?? Buffer.alloc(0);
  }
}

/** Never in place: an image that was handed out stays as it was. */
function changed(before: Buffer, changes: readonly Change[]): Buffer {
  const ends = changes.map((one) => (one.kind === 'truncate' ? one.length : one.offset + one.bytes.length));
  const room = Buffer.alloc(Math.max(before.length, ...ends));
  before.copy(room);
  let length = before.length;
  for (const one of changes) {
    if (one.kind === 'truncate') {
      room.fill(0, one.length, Math.max(one.length, length));
      length = one.length;
    } else {
      one.bytes.copy(room, one.offset);
      length = Math.max(length, one.offset + one.bytes.length);
    }
  }
  return room.subarray(0, length);
}

function sectors(one: Change): readonly Change[] {
  if (one.kind === 'truncate') return [one];
  const parts: Change[] = [];
  for (let at = 0; at < one.bytes.length; ) {
    const end = Math.min(one.bytes.length, at + SECTOR - ((one.offset + at) % SECTOR));
    parts.push({ ...one, offset: one.offset + at, bytes: one.bytes.subarray(at, end) });
    at = end;
  }
  return parts;
}
