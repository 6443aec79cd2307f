import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, runServer } from '../driver/run-server.ts';

// The commands work with names that a server observed, and stored when it stopped.

const folder = newFolder();
const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secret: ${'a'.repeat(40)}
functions: { dynamicCalls: deny, settings: { "sum*": { temperature: 0.5 } } }
`;

const command = async (...args: string[]) => await runCli({ cwd: folder }, ...args);

const summary = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] };
let answers: number[];
let ended: number | null;

beforeAll(async () => {
  writeFileSync(join(folder, 'patchbay.config.yaml'), config);
  const server = runServer(folder);
  try {
    const url = await server.listening();
    const key = /Admin API key: (\S+)/.exec(server.output.stderr)?.[1] ?? '';
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const call = async (text: string) => {
      const body = JSON.stringify({ input: { text }, output: summary });
      return (await fetch(`${url}/call/summarize`, { method: 'POST', headers, body })).status;
    };
    answers = [await call('one'), await call('two')];
    server.child.kill('SIGTERM');
    ended = await server.ended();
  } finally {
    server.child.kill('SIGKILL');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('patchbay functions', () => {
  it('explain tells what a call would use before there is a function', async () => {
    expect({ answers, ended }).toEqual({ answers: [404, 404], ended: 0 });
    const { code, stdout, stderr } = await command('functions', 'explain', 'summarize');
    expect(code).toBe(0);
    expect(stdout).toContain('model = "auto"  (default)\n');
    expect(stdout).toContain('temperature = 0.5  (config sum*)\n');
    expect(stderr).toContain('no function of the tenant default has this name');
  });

  it('promote makes a function of a name, once, and for the tenant that called it', async () => {
    expect((await command('functions', 'promote', 'summarize', '--tenant', 'other')).stderr).toContain('observed name');
    const { code, stdout } = await command('functions', 'promote', 'summarize', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: expect.stringMatching(/^function_/),
      name: 'summarize',
      input: { properties: { text: { type: 'string' } }, required: ['text'] },
      output: { required: ['summary'] },
    });
    expect(await command('functions', 'promote', 'summarize')).toMatchObject({ code: 4, stdout: '' });
    const explained = await command('functions', 'explain', 'summarize');
    expect(explained.stderr).toContain(JSON.parse(stdout).id);
    const verified = await command('audit', 'verify', '--json');
    expect(JSON.parse(verified.stdout)).toEqual({ tenant: 'default', verified: 1 });
  });

  it('types writes the functions of a tenant, to a file or to standard output', async () => {
    const file = join(folder, 'functions.ts');
    const written = await command('types', '--out', file);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toContain(
      'summarize(input: {\n    text: string;\n  }): {\n    summary: string;',
    );
    expect((await command('types')).stdout).toBe(readFileSync(file, 'utf8'));
    expect((await command('types', '--tenant', 'other')).stderr).toContain('0 functions of the tenant other');
  });

  it.each([
    [['functions'], 'promote [options] <name>'],
    [['functions', 'promote'], "missing required argument 'name'"],
    [['functions', 'toString', 'a'], "unknown command 'toString'"],
    [['functions', 'explain', 'a', 'b'], 'too many arguments'],
    [['types', 'extra'], 'too many arguments'],
  ])('%j says what is wrong', async (args, message) => {
    const { code, stdout, stderr } = await command(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
