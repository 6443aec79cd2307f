import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { AppConfig } from '../config/app-config.ts';

const MINIMUM_LENGTH = 32;

/** Derives by HKDF-SHA-256. The salt is part of the format: another one would invalidate all existing keys. */
export function createRootSecret(secret: string, previous: readonly string[] = []): RootSecret {
  const salt = 'patchbay root secret';
  return {
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', secret, salt, purpose, 32)),
    previous: previous.map((each) => createRootSecret(each)),
  };
}

interface RootSecretOptions {
  readonly directory: string;
  readonly logger: Logger;
  /** Receives a secret read from a file, so that it is redacted in logs. */
  readonly hide?: (secrets: readonly string[]) => void;
}

/**
 * The root secret of a config: the literal one, or that of the file, which is created if it does not
 * exist; else a random one, with a warning.
 *
 * @throws PatchbayError `config_invalid` if the secret is too short, or the file cannot be read or created.
 */
export async function openRootSecret(
  config: Pick<AppConfig, 'secret' | 'secretFile' | 'previousSecrets'>,
  { directory, logger, hide = () => {} }: RootSecretOptions,
): Promise<RootSecret> {
  const { secret, secretFile, previousSecrets = [] } = config;
  const previous = previousSecrets.map((each, index) => longEnough(each, `previousSecrets/${index}`));
  if (secret !== undefined) return createRootSecret(longEnough(secret, 'secret'), previous);
  if (secretFile !== undefined) {
    const file = resolve(directory, secretFile);
    try {
      if (await makeSecretFile(file)) {
        logger.info('created a root secret: keep its file, API keys and list cursors depend on it', { file });
      }
      await warnIfShared(file, logger);
      const text = longEnough((await readFile(file, 'utf8')).trim(), `secretFile ${file}`);
      hide([text]);
      return createRootSecret(text, previous);
    } catch (cause) {
      if (PatchbayError.is(cause)) throw cause;
      const reason = (cause as NodeJS.ErrnoException).code ?? 'an error';
      throw new PatchbayError('config_invalid', `secretFile ${file} cannot be used: ${reason}`, { cause });
    }
  }
  logger.warn(
    'no secret and no secretFile is configured: API keys and list cursors become invalid when this process exits',
  );
  return createRootSecret(randomBytes(32).toString('base64url'));
}

/**
 * Create the file atomically, flushed to disk: if two processes start at once, the second reads the secret of the
 * first, and a secret that was used survives a power loss.
 *
 * @returns whether it did not exist
 */
async function makeSecretFile(file: string): Promise<boolean> {
  if (existsSync(file)) return false;
  await keepFromGit(dirname(file), await makeFolder(dirname(file), 0o700));
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(file));
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Add a .gitignore, because data does not belong in git; folders with other content are left unchanged. Done before the
 * secret is written, so that another process finds either an empty folder or a complete one.
 */
async function keepFromGit(folder: string, isNew: boolean): Promise<void> {
  if (!isNew && (await readdir(folder)).length > 0) return;
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need to sync it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A warning only: secrets that Docker and Kubernetes mount are readable by everyone inside the container. */
async function warnIfShared(file: string, logger: Logger): Promise<void> {
  const { mode } = await stat(file);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  logger.warn(`secretFile ${file} can be read by other users of this machine: chmod 600 it`, {
    mode: (mode & 0o777).toString(8),
  });
}

function longEnough(secret: string, what: string): string {
  if (secret.length >= MINIMUM_LENGTH) return secret;
  throw new PatchbayError(
    'config_invalid',
    `${what} is too short: a root secret has ${MINIMUM_LENGTH} characters or more`,
  );
}

/**
 * Create a folder and its parents. Node's recursive `mkdir` never returns if the system denies that an existing folder
 * exists, as `/proc` does.
 *
 * @param mode Of each folder that is created.
 * @returns whether the folder was not there
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<boolean> {
  try {
    return await makeOne(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder), mode);
    return await makeOne(folder, mode);
  }
}

async function makeOne(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
