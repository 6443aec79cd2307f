import { rmSync } from 'node:fs';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import type { ServerHereInUse } from '../driver/use-server-here.ts';

export function modelCommandsSuite(server: ServerHereInUse): void {
  const folder = newFolder();
  const cli = (...args: string[]) => {
    const env = { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey };
    return runCli({ cwd: folder, env, input: 'from standard input' }, ...args);
  };
  const documents = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('patchbay models', () => {
    it('list, get, explain and test', async () => {
      const listed = await cli('models', 'list', '--json');
      const ids = documents(listed.stdout).map(({ id }) => String(id));
      const chat = documents(listed.stdout).find(({ capabilities }) => (capabilities as string[]).includes('chat'));
      expect(ids.every((id) => id.startsWith('demo/'))).toBe(true);
      const id = String(chat?.['id']);
      expect(JSON.parse((await cli('models', 'get', id)).stdout)).toMatchObject({ id });
      expect(documents((await cli('models', 'explain', '--json')).stdout).length).toBe(ids.length);
      expect((await cli('models', 'explain', '--optimize', 'cost')).stdout).toContain(id);
      expect((await cli('models', 'test', id)).stdout).toMatch(/answered in \d+ ms \(\d+ \+ \d+ tokens\)/);
      expect(await cli('models', 'get', 'demo/none')).toMatchObject({ code: 4, stdout: '' });
      expect((await cli('models', 'explain', '--optimize', 'nothing')).code).toBe(2);
    });
  });

  describe('patchbay chat and embed', () => {
    let model: string;
    beforeAll(async () => {
      const listed = documents((await cli('models', 'list', '--json')).stdout);
      model = String(listed.find(({ capabilities }) => (capabilities as string[]).includes('chat'))?.['id']);
    });

    it('prints the completion, streamed and as a whole', async () => {
      const streamed = await cli('chat', 'Hello there', '--model', model);
      const whole = await cli('chat', 'Hello there', '--model', model, '--no-stream');
      expect(streamed.code).toBe(0);
      expect(streamed.stdout.trim()).not.toBe('');
      expect(whole.stdout).toBe(streamed.stdout);
      expect(whole.stderr).toMatch(/^demo\/\S+: \d+ \+ \d+ tokens\n$/);
      const { stdout } = await cli('chat', '-', '--json', '--system', 'Be brief');
      expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^chat_/), message: { role: 'assistant' } });
    });

    it('asks for a message without a terminal', async () => {
      expect(await cli('chat')).toMatchObject({ code: 2, stdout: '' });
      expect(await cli('chat', 'x', '--model', 'demo/none')).toMatchObject({ code: 4, stdout: '' });
    });

    it('prints a vector', async () => {
      const { code, stdout, stderr } = await cli('embed', 'a text');
      expect([code, (JSON.parse(stdout) as number[]).length > 1]).toEqual([0, true]);
      expect(stderr).toMatch(/512 dimensions, \d+ tokens/);
    });
  });

  describe('patchbay usage and openapi', () => {
    it('usage shows sums, and openapi the document', async () => {
      const { stdout } = await cli('usage', '--group-by', 'kind');
      expect(stdout).toMatch(/^total +\d+ executions +\d+ model calls +0 feedback/m);
      expect(JSON.parse((await cli('usage', '--json')).stdout)).toHaveProperty('total.modelCalls');
      expect(await cli('usage', '--from', 'yesterday')).toMatchObject({ code: 1, stdout: '' });
      expect(JSON.parse((await cli('openapi')).stdout)).toMatchObject({ openapi: '3.1.0' });
    });
  });
}
