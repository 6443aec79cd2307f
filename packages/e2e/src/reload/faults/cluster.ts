import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import { createMigratedDatabase } from '../../driver/migrated-postgres.ts';
import {
  type ServerProcess,
  type StartOptions,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../../driver/server-process.ts';
import { type RoundRobin, startRoundRobin } from '../../replicas/round-robin.ts';
import { probeArguments } from './resources.ts';

/** The processes of an installation, which all go by the same files. */
export interface Cluster {
  /** Where requests go. */
  readonly url: string;
  readonly servers: readonly ServerProcess[];
  readonly workers: readonly ServerProcess[];
  readonly place: ConfigPlace;
  /** Replace the config file of every process, each in one step. */
  writeConfig(text: string): Promise<void>;
  /** The same with the file that has the key of the provider, which is one for all. */
  writeKey(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** Values of a config that depend on its location. */
export interface ConfigPlace {
  /** The mount. */
  readonly storage: string;
  readonly keyFile: string;
}

export interface ClusterOptions {
  /** `sqlite`: a server and a worker in one folder. `postgres`: two servers behind a door, and a worker. */
  readonly storage: 'sqlite' | 'postgres';
  readonly key: string;
  readonly configOf: (place: ConfigPlace) => string;
}

const asWorker = { arguments: ['worker', '--port', '0'], readyMessage: 'working' };

const mounts = {
  sqlite: '{ use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }',
  postgres: `{ use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }`,
};

export async function startCluster({ storage, key, configOf }: ClusterOptions): Promise<Cluster> {
  // The folder of a process is searched for keys after the test; there, only its config file may have any.
  const keys = await temporaryData();
  const place = { storage: mounts[storage], keyFile: join(keys.path, 'provider-key') };
  const folders: TemporaryData[] = [];
  const servers: ServerProcess[] = [];
  const workers: ServerProcess[] = [];
  let postgres: OwnPostgres | undefined;
  let door: RoundRobin | undefined;

  const writeConfig = async (text: string): Promise<void> => {
    for (const { path } of folders) await replaceFile(join(path, 'patchbay.config.yaml'), text);
  };
  const writeKey = (text: string) => replaceFile(place.keyFile, `${text}\n`);
  const stop = async (): Promise<void> => {
    await Promise.all([...servers, ...workers].map((process) => process.end('SIGTERM')));
    await door?.stop();
    await postgres?.stop();
    for (const folder of [...folders, keys]) await folder.remove();
  };
  const start = async (folder: TemporaryData, role: 'server' | 'worker', env: NodeJS.ProcessEnv): Promise<void> => {
    const options: StartOptions = { env, nodeArguments: probeArguments, ...(role === 'worker' && asWorker) };
    (role === 'worker' ? workers : servers).push(await startServerProcess(folder.path, options));
  };

  try {
    await writeKey(key);
    const roles = storage === 'sqlite' ? (['server', 'worker'] as const) : (['server', 'server', 'worker'] as const);
    let env: NodeJS.ProcessEnv = {};
    if (storage === 'postgres') {
      postgres = await startPostgres();
      env = { DATABASE_URL: (await createMigratedDatabase(postgres)).url };
    }
    const shared = storage === 'sqlite' ? [await temporaryData()] : [];
    folders.push(...shared);
    for (const role of roles) {
      const folder = shared[0] ?? (await temporaryData());
      if (shared.length === 0) folders.push(folder);
      await writeConfig(configOf(place));
      await start(folder, role, env);
    }
    const urls = servers.map(({ url }) => url);
    if (urls.length > 1) door = await startRoundRobin(urls);
    return { url: door?.url ?? String(urls[0]), servers, workers, place, writeConfig, writeKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
