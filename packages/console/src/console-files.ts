import { readFile } from 'node:fs/promises';
import { chooseEncoding } from '@patchbay/http';

/** A built file as it is sent. */
export interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Absent: sent as is. */
  readonly encoding?: string;
}

const folder = new URL('../built/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The pattern of the build's file names. No such name leads out of the folder. */
const builtName = /^[a-z]+-[\dA-Za-z]{8}\.(?<extension>css|js|svg)$/;

/** The build leaves one file for each encoding, beside the plain one. */
const suffixes = { br: '.br', gzip: '.gz' } as const;

/**
 * Read a built file.
 *
 * @param accepted The `Accept-Encoding` of the request.
 */
export async function readConsoleFile(name: string, accepted?: string): Promise<ConsoleFile | undefined> {
  const mediaType = mediaTypes[builtName.exec(name)?.groups?.['extension'] ?? ''];
  if (mediaType === undefined) return undefined;
  const encoding = chooseEncoding(accepted);
  const bytes = await readBuilt(name + (encoding === undefined ? '' : suffixes[encoding]));
  return bytes && { bytes, mediaType, ...(encoding && { encoding }) };
}

/** The page, with placeholders for the path prefixes. */
export async function readConsolePage(): Promise<string | undefined> {
  const bytes = await readBuilt('index.html');
  return bytes && new TextDecoder().decode(bytes);
}

async function readBuilt(name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(new URL(name, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
