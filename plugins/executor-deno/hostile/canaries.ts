import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { plantFiles } from './canary-files.ts';
import { openListeners } from './canary-listeners.ts';

/** Files, sockets and secrets that must stay untouched and unseen. */
export interface Canaries {
  /** Where everything is: given to every program. */
  readonly places: Readonly<Record<string, string | number>>;
  /** The secrets that a text shows, by name. */
  seenIn(text: string): readonly string[];
  /** Events since the last look. */
  check(): readonly string[];
  remove(): Promise<void>;
}

export interface CanaryOptions {
  readonly folder: string;
  /** Files that every user of the machine may read are hidden from programs. */
  readonly hidesSharedFiles: boolean;
}

/** A variable of the host with a secret. */
export const CANARY_VARIABLE = 'PATCHBAY_HOSTILE_CANARY';

/** Plant files, variables, sockets and a process, each with its own secret. */
export async function plantCanaries({ folder, hidesSharedFiles }: CanaryOptions): Promise<Canaries> {
  const id = randomBytes(6).toString('hex');
  const secret = (): string => randomBytes(16).toString('hex');
  const secrets = { private: secret(), home: secret(), variable: secret(), argument: secret(), held: secret() };
  const shared = { shared: secret(), json: secret(), temporary: secret() };
  const places = path.join(folder, 'canaries');
  mkdirSync(places, { mode: 0o755 });
  chmodSync(places, 0o755);
  const socket = path.join(places, 'socket');
  const listeners = await openListeners(socket);
  const file = (name: string, text: string, mode: number, place = places) => ({
    path: path.join(place, name),
    text,
    mode,
    isHidden: mode === 0o600 || hidesSharedFiles,
  });
  const privateFile = file('private', secrets.private, 0o600);
  const home = file(`.patchbay-canary-${id}`, secrets.home, 0o600, homedir());
  const sharedFile = file('shared', shared.shared, 0o644);
  const json = file('shared.json', JSON.stringify({ secret: shared.json }), 0o644);
  const temporary = file(`patchbay-canary-${id}`, shared.temporary, 0o644, tmpdir());
  // The process reads it when it starts.
  const held = { ...file('held', secrets.held, 0o600), isHidden: false };
  const files = plantFiles([privateFile, home, sharedFile, json, temporary, held], [places]);
  process.env[CANARY_VARIABLE] = secrets.variable;
  const child = await startProcess(secrets.argument, held.path, secrets.variable);
  const signals: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => signals.push(chunk.toString().trim()));
  const hidden = { ...secrets, ...(hidesSharedFiles ? { ...shared, 'a user of /etc/passwd': firstUser() } : {}) };
  return {
    places: {
      private: privateFile.path,
      home: home.path,
      shared: sharedFile.path,
      json: json.path,
      folder: places,
      socket,
      abstract: listeners.abstract,
      port: listeners.port,
      datagramPort: listeners.datagramPort,
      variable: CANARY_VARIABLE,
      pid: child.pid ?? 0,
      host: process.pid,
    },
    seenIn: (text) => Object.entries(hidden).flatMap(([name, value]) => (shows(text, value) ? [name] : [])),
    check: () => [
      ...files.check(),
      ...listeners.check(),
      ...signals.splice(0).map((signal) => `the canary process got ${signal}`),
      ...(child.exitCode === null && child.signalCode === null ? [] : ['the canary process is gone']),
    ],
    async remove() {
      delete process.env[CANARY_VARIABLE];
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await listeners.close();
      files.remove();
    },
  };
}

async function startProcess(argument: string, held: string, variable: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./canary-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program, argument, held], {
    env: { ...process.env, [CANARY_VARIABLE]: variable },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** A line of a file of which every machine has its own. */
const firstUser = (): string => readFileSync('/etc/passwd', 'utf8').split('\n')[0] ?? 'root:';

/** As it is, or in one of the ways in which a program would pack it. */
function shows(text: string, secret: string): boolean {
  const inBase64 = [0, 1, 2].map((shift) => {
    const packed = Buffer.from(`${' '.repeat(shift)}${secret}`).toString('base64');
    return packed.slice(shift === 0 ? 0 : 4, -4);
  });
  const packings = [secret, Array.from(secret).toReversed().join(''), Buffer.from(secret).toString('hex'), ...inBase64];
  return packings.some((packing) => text.includes(packing));
}
