import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { Tarball } from './pack-all.ts';
import { run } from './run.ts';

/** The part of a registry that npm needs, with our packages only, which npm requests by their scope. */
export interface LocalRegistry {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startLocalRegistry(tarballs: readonly Tarball[]): Promise<LocalRegistry> {
  const files = new Map<string, Uint8Array>();
  const documents = new Map<string, (url: string) => object>();
  for (const { name, file } of tarballs) {
    const bytes = await readFile(file);
    const manifest = JSON.parse(await run('tar', ['-xOzf', file, 'package/package.json'], '.')) as { version: string };
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    files.set(`/-/${basename(file)}`, bytes);
    documents.set(`/${name}`, (url) => {
      const { version } = manifest;
      const dist = { integrity, tarball: `${url}/-/${basename(file)}` };
      return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
    });
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const document = documents.get(path)?.(url);
    const answer = files.get(path) ?? (document && JSON.stringify(document));
    if (answer === undefined) response.writeHead(404).end('{}');
    else response.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
