import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

const KEY = 'a-key-for-the-check-of-the-tarballs-only';

const FUNCTION = {
  name: 'Add',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  code: 'export default ({ a, b }) => ({ sum: a + b })',
};

/** Start the installed server and use both areas of it. */
export async function tryServer(node: string, project: string): Promise<readonly string[]> {
  const data = await mkdtemp(join(project, 'data-'));
  const server = spawn(node, [join(project, 'node_modules', '.bin', 'patchbay')], {
    cwd: data,
    env: { ...process.env, PORT: '0', PATCHBAY_BOOTSTRAP_KEY: KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(server, 'close');
  let output = '';
  try {
    const address = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      void closed.then(() => reject(new Error('the server ended')));
    });
    const post = async (path: string, body: unknown): Promise<{ readonly [name: string]: unknown }> => {
      const response = await fetch(address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { readonly [name: string]: unknown };
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const page = await (await fetch(`${address}/console`)).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
    if (script === '' || !(await fetch(address + script)).ok) return [`the console is not in its package: ${page}`];
    const created = await post('/functions', FUNCTION);
    const execution = await post(`/functions/${String(created['id'])}/execute`, { input: { a: 2, b: 3 } });
    if (JSON.stringify(execution['output']) !== '{"sum":5}') return [`execute answered ${JSON.stringify(execution)}`];
    await post('/chat', { messages: [{ role: 'user', content: 'Hello' }] });
    return [];
  } catch (error) {
    return [`${String(error)}\n${output}`];
  } finally {
    server.kill();
    await closed;
  }
}
