import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { NOBODY } from '../src/launch/jail.ts';

// Folders that every user may write.
const FOLDERS = ['/tmp', '/var/tmp', '/dev/shm'];
const SLOT = /^patchbay-\w{6}$/u;

/** Files and folders of user 65534, which processes of executors run as; the folders of executors' sockets aside. */
export const litter = (): readonly string[] =>
  FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .map((name) => path.join(folder, name))
      .filter((file) => !SLOT.test(path.basename(file)))
      .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.uid === NOBODY),
  );
