// A server whose config mounts a maintenance switch and a route, and what its clients see of both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// In a project with @patchbay/server, `npx patchbay` runs this file.
const patchbay = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const config = fileURLToPath(new URL('../patchbay.config.yaml', import.meta.url));
const key = 'k'.repeat(40);

const server = spawn(process.execPath, ['--conditions=source', patchbay, 'serve', '--config', config], {
  env: { PATH: process.env['PATH'], KEY: key, SECRET: 's'.repeat(40) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = once(server, 'exit');
try {
  let url = '';
  for await (const line of createInterface({ input: server.stdout })) {
    url = (JSON.parse(line) as { readonly url?: string }).url ?? '';
    if (url !== '') break;
  }
  const show = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(url + path, { method, headers });
    const text = await response.text();
    console.log(`${method} ${path}`, response.status, text.length > 60 ? `${text.slice(0, 60)}…` : text);
  };
  await show('GET', '/about');
  await show('POST', '/chat');
  await show('GET', '/functions');
} finally {
  server.kill('SIGTERM');
  await stopped;
}
