import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { codeBlocks } from '../docs-blocks/code-blocks.ts';
import { run } from './run.ts';

const SERVER_START = /dist\/main\.js --config/;

/**
 * Do what the page about installing on a server says, block by block, with its folders below another one, and use the
 * server that it starts.
 *
 * @param packed Folder that `npm run tarballs` has written.
 */
export async function walkInstallPage(
  node: string,
  root: string,
  packed: string,
  directory: string,
): Promise<readonly string[]> {
  const page = await readFile(join(root, 'docs/operate/install.md'), 'utf8');
  const blocks = codeBlocks('install.md', page).filter(({ language, mark }) => language === 'sh' && mark !== 'sketch');
  await mkdir(join(directory, 'opt'), { recursive: true });
  // Copying to the server is a sketch on the page.
  await cp(packed, join(directory, 'opt/patchbay'), { recursive: true });
  const here = (code: string) =>
    code
      .replaceAll(/(?<![\w.])\/(opt|etc|var\/lib)\/patchbay/g, `${directory}/$1/patchbay`)
      .replaceAll('/usr/bin/node', node)
      .replaceAll('sudo ', '');
  const path = dirname(node) + delimiter + process.env['PATH'];
  const env = { ...process.env, PATH: path, PORT: '0', PATCHBAY_DATA: join(directory, 'var/lib/patchbay') };
  let walked = 0;
  for (const { code, place } of blocks) {
    if (/npm run tarballs|systemctl|journalctl/.test(code)) continue;
    try {
      if (SERVER_START.test(code)) await startOnce(here(code), directory, env);
      else await run('bash', ['-euc', here(code)], directory, env);
      walked += 1;
    } catch (error) {
      const { stderr = '' } = error as { readonly stderr?: string };
      return [`${place}: ${String(error)}\n${stderr.slice(-2_000)}`];
    }
  }
  return walked >= 4 ? [] : [`install.md: only ${walked} blocks were walked`];
}

/** Start the server, wait until it listens, ask it for its health and with its first key for functions, and stop it. */
async function startOnce(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const server = spawn('bash', ['-c', `exec ${command}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(server, 'close');
  let output = '';
  try {
    const [url, key] = await new Promise<readonly [string, string]>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        const [first] = /pbk_\w+/.exec(output) ?? [];
        if (address !== undefined && first !== undefined) resolve([address, first]);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      void closed.then(() => reject(new Error(`the server ended: ${output.slice(-2_000)}`)));
    });
    for (const path of ['/readyz', '/functions']) {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
  } finally {
    server.kill();
    await closed;
  }
}
