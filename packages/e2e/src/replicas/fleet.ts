import { type OwnPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { type Member, startMember } from './member.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';

export type Database = Awaited<ReturnType<OwnPostgres['createDatabase']>>;

/** Replicas behind one door, and workers, on one PostgreSQL. */
export interface Fleet {
  readonly postgres: OwnPostgres;
  readonly database: Database;
  readonly door: RoundRobin;
  readonly replicas: readonly Member[];
  readonly workers: readonly Member[];
  /** Have the door know where its replicas are now. */
  openDoor(): void;
  /** The environment of each process of the fleet. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

export interface FleetOptions {
  /** Text of the config file of all; the database is in `DATABASE_URL`. */
  readonly config: string;
  readonly replicas: number;
  readonly workers: number;
}

export async function startFleet({ config, replicas, workers }: FleetOptions): Promise<Fleet> {
  const postgres = await startPostgres();
  const members: { role: 'replica' | 'worker'; member: Member }[] = [];
  let door: RoundRobin | undefined;
  const stop = async () => {
    await door?.stop();
    for (const { member } of members) await member.stop();
    await postgres.stop();
  };
  try {
    const database = await createMigratedDatabase(postgres);
    const env = { DATABASE_URL: database.url };
    const roles = [
      ...Array.from({ length: replicas }, () => 'replica' as const),
      ...Array.from({ length: workers }, () => 'worker' as const),
    ];
    await Promise.all(
      roles.map(async (role) => members.push({ role, member: await startMember(role, { config, env }) })),
    );
    const those = (wanted: string) => members.filter(({ role }) => role === wanted).map(({ member }) => member);
    const urls = () => those('replica').map(({ process }) => process.url);
    const opened = await startRoundRobin(urls());
    door = opened;
    return {
      postgres,
      database,
      door: opened,
      replicas: those('replica'),
      workers: those('worker'),
      openDoor: () => opened.use(urls()),
      env,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
