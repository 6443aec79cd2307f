import { describe, expect, it } from 'vitest';
import { SimulatedDisk } from './simulated-disk.ts';

const path = '/data/a.db';
const write = (offset: number, text: string) => ({ kind: 'write', path, offset, bytes: Buffer.from(text) }) as const;

describe('a simulated disk', () => {
  it('preserves synced writes only', () => {
    const disk = new SimulatedDisk();
    disk.apply(write(0, 'abcdef'));
    expect(disk.afterPowerLoss('none').size).toBe(0);
    disk.apply({ kind: 'sync', path });
    disk.apply(write(2, 'XY'));
    expect(disk.afterPowerLoss('none').get(path)?.toString()).toBe('abcdef');
    disk.apply({ kind: 'sync', path });
    expect(disk.afterPowerLoss('none').get(path)?.toString()).toBe('abXYef');
  });

  it('a simulated disk may keep some sectors of what was not', () => {
    const disk = new SimulatedDisk();
    disk.apply(write(0, 'a'.repeat(1_024)));
    const answers = [0.9, 0.1];
    const file = disk.afterPowerLoss({ random: () => answers.shift() ?? 1 }).get(path);
    expect(file?.subarray(0, 512).equals(Buffer.alloc(512))).toBe(true);
    expect(file?.subarray(512).toString()).toBe('a'.repeat(512));
  });

  it('cuts files, fills what is cut with zeros when they grow again, and removes them', () => {
    const disk = new SimulatedDisk();
    for (const call of [write(0, 'abcdef'), { kind: 'truncate', path, length: 2 } as const, write(4, 'X')])
      disk.apply(call);
    disk.apply({ kind: 'sync', path });
    expect(disk.afterPowerLoss('none').get(path)?.toString('hex')).toBe('6162000058');
    disk.apply({ kind: 'remove', path });
    expect(disk.afterPowerLoss('none').size).toBe(0);
  });
});
