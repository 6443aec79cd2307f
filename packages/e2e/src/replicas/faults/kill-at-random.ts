import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../driver/random.ts';
import type { Fleet } from '../fleet.ts';
import type { Member } from '../member.ts';

export type Victim = 'replica' | 'worker' | 'postgres';

const LONGEST_GAP_MS = 1_000;

/** One round: a replica, a worker and PostgreSQL are killed in any order, close to each other, and started again. */
export async function killOneOfEach(fleet: Fleet, random: Random): Promise<void> {
  const { postgres, replicas, workers } = fleet;
  let databaseUp: Promise<void> = Promise.resolve();
  const replace = async (member: Member) => {
    await member.end('SIGKILL');
    await databaseUp;
    await member.restart();
    fleet.openDoor();
  };
  const kill: Readonly<Record<Victim, () => Promise<void>>> = {
    replica: () => replace(random.pick(replicas)),
    worker: () => replace(random.pick(workers)),
    postgres: () => {
      databaseUp = postgres.crash().then(async () => {
        await delay(random.below(LONGEST_GAP_MS));
        await postgres.restart();
      });
      return databaseUp;
    },
  };
  const left: Victim[] = ['replica', 'worker', 'postgres'];
  const restarts: Promise<void>[] = [];
  while (left.length > 0) {
    const [victim] = left.splice(random.below(left.length), 1) as [Victim];
    restarts.push(kill[victim]());
    await delay(random.below(LONGEST_GAP_MS));
  }
  await Promise.all(restarts);
  // Some time in which all goes well.
  await delay(LONGEST_GAP_MS);
}
