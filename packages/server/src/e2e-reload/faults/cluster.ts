import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import {
  type ServerProcess,
  type StartOptions,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../../e2e/server-process.ts';
import { type RoundRobin, startRoundRobin } from '../../e2e-replicas/round-robin.ts';
import { probeArguments } from './resources.ts';

/** The processes of an installation, which all go by the same files. */
export interface Cluster {
  /** Where requests go. */
  readonly url: string;
  readonly servers: readonly ServerProcess[];
  readonly workers: readonly ServerProcess[];
  /** Replace files of every process, each in one step. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** `sqlite`: a server and a worker in one folder. `postgres`: two servers behind a door, and a worker. */
  readonly storage: 'sqlite' | 'postgres';
  readonly files: Readonly<Record<string, string>>;
}

const asWorker = { arguments: ['worker', '--port', '0'], readyMessage: 'working' };

export async function startCluster({ storage, files }: ClusterOptions): Promise<Cluster> {
  const folders: TemporaryData[] = [];
  const servers: ServerProcess[] = [];
  const workers: ServerProcess[] = [];
  let postgres: OwnPostgres | undefined;
  let door: RoundRobin | undefined;

  const write: Cluster['write'] = async (changed) => {
    for (const { path } of folders) {
      for (const [name, text] of Object.entries(changed)) {
        const draft = join(path, `${name}.new`);
        await writeFile(draft, text);
        await rename(draft, join(path, name));
      }
    }
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...servers, ...workers].map((process) => process.end('SIGTERM')));
    await door?.stop();
    await postgres?.stop();
    for (const folder of folders) await folder.remove();
  };
  const start = async (folder: TemporaryData, role: 'server' | 'worker', env: NodeJS.ProcessEnv): Promise<void> => {
    const options: StartOptions = { env, nodeArguments: probeArguments, ...(role === 'worker' && asWorker) };
    (role === 'worker' ? workers : servers).push(await startServerProcess(folder.path, options));
  };

  try {
    const roles = storage === 'sqlite' ? (['server', 'worker'] as const) : (['server', 'server', 'worker'] as const);
    let env: NodeJS.ProcessEnv = {};
    if (storage === 'postgres') {
      postgres = await startPostgres();
      env = { DATABASE_URL: (await postgres.createDatabase()).url };
    }
    const shared = storage === 'sqlite' ? [await temporaryData()] : [];
    folders.push(...shared);
    for (const role of roles) {
      const folder = shared[0] ?? (await temporaryData());
      if (shared.length === 0) folders.push(folder);
      await write(files);
      await start(folder, role, env);
    }
    const urls = servers.map(({ url }) => url);
    if (urls.length > 1) door = await startRoundRobin(urls);
    return { url: door?.url ?? String(urls[0]), servers, workers, write, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
