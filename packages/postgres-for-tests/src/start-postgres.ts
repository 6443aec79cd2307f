import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, unprivilegedAccount } from './account.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { hireJanitor, type Janitor } from './janitor.ts';
import { installedPrograms, reachablePrograms } from './programs.ts';
import { ServerProcess } from './server-process.ts';

/** A server for this process alone: tests may damage it. */
export interface OwnPostgres {
  /** Of the database `postgres`, as superuser. */
  readonly url: string;
  createDatabase(): Promise<TestDatabase>;
  /** Kill all its processes at once. Acknowledged writes survive. */
  crash(): Promise<void>;
  /** Shut it down gracefully, breaking connections. */
  shutDown(): Promise<void>;
  /** Start it again after one of these, with the same data. */
  restart(): Promise<void>;
  /** Hold its processes, so that it accepts connections and never responds, until `resume`. */
  pause(): void;
  resume(): void;
  /** Stop it and remove everything. Also happens when this process ends in any way. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Settings of `postgresql.conf` beside those of a server that is fast and forgets everything when the power fails. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Listen on 127.0.0.1, too, with this certificate and key, both in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly port: number };
}

const fastSettings = {
  listen_addresses: '',
  fsync: 'off',
  full_page_writes: 'off',
  // Containers have little of the usual shared memory, and a crash would leave it behind.
  dynamic_shared_memory_type: 'mmap',
};

function tlsSettings({ cert, key, port }: Required<StartOptions>['tls'], root: string, account: Account | undefined) {
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key })) {
    const file = join(root, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (account !== undefined) chownSync(file, account.uid, account.gid);
  }
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    ssl: 'on',
    ssl_cert_file: join(root, 'tls.crt'),
    ssl_key_file: join(root, 'tls.key'),
  };
}

/** Whether `startPostgres` works on this machine. */
export function canStartPostgres(): boolean {
  return installedPrograms() !== undefined;
}

/**
 * Start a PostgreSQL, from npm, on a socket in a separate folder.
 *
 * @throws Error if there is none for this platform.
 */
export async function startPostgres({ settings = {}, tls }: StartOptions = {}): Promise<OwnPostgres> {
  const installed = installedPrograms();
  if (installed === undefined) throw new Error(`no PostgreSQL on npm for ${process.platform}-${process.arch}`);
  const account = unprivilegedAccount();
  const root = mkdtempSync(join(folderOfData(), 'patchbay-postgres-'));
  // Folders in memory often do not allow running programs.
  const copies = mkdtempSync(join(tmpdir(), 'patchbay-programs-'));
  let janitor: Janitor | undefined;
  try {
    if (account !== undefined) for (const folder of [root, copies]) chownSync(folder, account.uid, account.gid);
    const programs = reachablePrograms(installed, copies, account);
    janitor = hireJanitor(root, copies);
    const server = new ServerProcess({
      programs,
      root,
      account,
      settings: { ...fastSettings, ...(tls && tlsSettings(tls, root, account)), ...settings },
    });
    await server.start();
    const port = tls === undefined ? '' : `:${tls.port}`;
    return own(server, `postgresql://postgres@${encodeURIComponent(root)}${port}/postgres`, janitor);
  } catch (error) {
    await janitor?.finish();
    for (const folder of [root, copies]) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const MEMORY = '/dev/shm';
/** `linux/magic.h` */
const TMPFS = 0x01021994;

/** In memory if there is room: writing to a disk costs PostgreSQL a multiple of the CPU. Else the system's temporary folder. */
function folderOfData(): string {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type === TMPFS && bavail * bsize >= 4 * 2 ** 30) return MEMORY;
  } catch {
    // There is none.
  }
  return tmpdir();
}

function own(server: ServerProcess, url: string, janitor: Janitor): OwnPostgres {
  return {
    url,
    createDatabase: () => createDatabase(url),
    crash: () => server.end('SIGKILL'),
    shutDown: () => server.end('SIGINT'),
    restart: () => server.start(),
    pause: () => server.hold(true),
    resume: () => server.hold(false),
    async stop() {
      await server.end('SIGINT');
      await janitor.finish();
    },
  };
}
