import { readFile } from 'node:fs/promises';

/** The built-in config with the lines that an operator changes for PostgreSQL; the URL is in `DATABASE_URL`. */
export async function postgresConfig(options = ''): Promise<string> {
  const builtIn = await readFile(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
  const storage = `storage: { use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}"${options} } }\n`;
  return builtIn.replace(/storage:\n( .*\n)+/, storage);
}
