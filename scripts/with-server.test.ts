import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// `npm start` in a fresh clone. An installation takes minutes: here, the packages are those of this clone, and a stand-in
// for pnpm brings Node, the only other thing that the command needs.

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-with-server-'));
const clone = join(folder, 'my clone');
const tools = join(folder, 'tools');
const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as {
  readonly version: string;
};

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = clone) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { HOME: folder, PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const start = (path: string) =>
  run(process.execPath, ['scripts/with-server.mjs', 'packages/server/src/main.ts', '--version'], {
    PATH: path,
    npm_config_user_agent: 'pnpm/12.21.0',
  });

describe.skipIf(process.platform === 'win32')('npm start in a clone in which nothing is installed', () => {
  let first: ReturnType<typeof run>;
  beforeAll(() => {
    for (const made of [join(clone, 'scripts'), join(clone, 'plugins'), tools]) mkdirSync(made, { recursive: true });
    for (const file of ['scripts/with-server.mjs', 'package.json', 'pnpm-lock.yaml']) {
      copyFileSync(join(root, file), join(clone, file));
    }
    symlinkSync(join(root, 'packages'), join(clone, 'packages'));
    writeFileSync(
      join(tools, 'pnpm'),
      `#!/bin/sh\nmkdir -p node_modules/.bin && ln -s '${process.execPath}' node_modules/.bin/node\n`,
    );
    chmodSync(join(tools, 'pnpm'), 0o755);
    first = start(`${tools}:/usr/bin:/bin`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs the server, which says nothing but what it is asked for on standard output', () => {
    expect(first).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it('leaves the command for npx', () => {
    expect(run('npx', ['--no', '--', 'patchbay', '--version'], { PATH: process.env['PATH'] })).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    });
  });

  it('leaves the command for other folders, on the Node of the clone, and its hints name it', () => {
    const command = join(clone, 'node_modules/.bin/patchbay');
    const made = run(command, ['init', 'mine'], {}, folder);
    expect(made).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("'../my clone/node_modules/.bin/patchbay' dev"),
    });
    const [, hint = ''] = /: "(.+) dev"/.exec(made.stderr) ?? [];
    expect(run('sh', ['-c', `${hint} --version`], {}, join(folder, 'mine'))).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    });
  });

  it('installs nothing the next time', () => {
    expect(start('/usr/bin:/bin')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });
});
