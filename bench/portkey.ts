import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Child, startChild } from './gateway-children.ts';

const version = '1.15.2';

// The versions in the lock file of that release. Without these pins npm installs the newest of each range, with which every
// stream ends in a 500 on some versions of Node.
const dependencies = {
  '@aws-crypto/sha256-js': '5.2.0',
  '@cfworker/json-schema': '4.0.3',
  '@hono/node-server': '1.13.5',
  '@hono/node-ws': '1.2.0',
  '@portkey-ai/mustache': '2.1.3',
  '@smithy/signature-v4': '2.1.1',
  '@types/mustache': '4.2.5',
  'async-retry': '1.3.3',
  avsc: '5.7.7',
  hono: '4.9.7',
  ioredis: '5.8.0',
  jose: '6.0.11',
  'patch-package': '8.0.1',
  ws: '8.18.3',
  zod: '3.25.76',
};
const ofDependencies = {
  '@ioredis/commands': '1.4.0',
  '@smithy/eventstream-codec': '2.1.1',
  '@smithy/is-array-buffer': '2.1.1',
  '@smithy/types': '2.9.1',
  '@smithy/util-buffer-from': '2.1.1',
  '@smithy/util-hex-encoding': '2.1.1',
  '@smithy/util-middleware': '2.1.1',
  '@smithy/util-uri-escape': '2.1.1',
  '@smithy/util-utf8': '2.1.1',
  'cluster-key-slot': '1.1.2',
  debug: '4.3.4',
  denque: '2.1.0',
  ms: '2.1.2',
  'redis-parser': '3.0.0',
  retry: '0.13.1',
  'standard-as-callback': '2.1.0',
};

export interface Portkey extends Child {
  readonly version: string;
}

/**
 * Portkey's gateway, the one other gateway that runs on Node, installed from npm into a separate folder.
 *
 * Its install script is not run: it would apply patches that the package does not contain. It binds all interfaces, so
 * a module that is loaded before it keeps it on the loopback interface.
 */
export async function startPortkey(): Promise<Portkey> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-portkey-'));
  try {
    const manifest = {
      private: true,
      dependencies: { '@portkey-ai/gateway': version },
      overrides: { ...dependencies, ...ofDependencies },
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', ...flags], { cwd: folder });
    await checkVersions(folder);
    const child = await startChild(join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'), {
      args: ['--port=0', '--headless'],
      env: { NODE_ENV: 'production' },
      nodeArgs: ['--import', fileURLToPath(new URL('./listen-on-loopback.ts', import.meta.url))],
    });
    return {
      ...child,
      version,
      async stop() {
        await child.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function checkVersions(folder: string): Promise<void> {
  for (const [name, pinned] of Object.entries({ '@portkey-ai/gateway': version, ...dependencies })) {
    const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    const found = (JSON.parse(manifest) as { readonly version: string }).version;
    if (found !== pinned) throw new Error(`npm installed ${name} ${found} and not ${pinned}`);
  }
}
