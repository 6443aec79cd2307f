import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { runCli } from '../fixtures/run-cli.ts';
import { commandPage } from './command-page.ts';
import { createProgram } from './program.ts';

const nothing = () => {};
const never = () => Promise.reject(new Error('nothing is done here'));
const program = createProgram(
  {
    cwd: '/',
    env: {},
    output: { result: nothing, note: nothing },
    write: nothing,
    readInput: never,
    isInteractive: false,
    signal: new AbortController().signal,
    serve: never,
    work: never,
    develop: never,
  },
  nothing,
);

const leaves = (command: Command, path: readonly string[] = []): (readonly string[])[] =>
  command.commands.flatMap((each) =>
    each.commands.length > 0 ? leaves(each, [...path, each.name()]) : [[...path, each.name()]],
  );

it('docs/reference/cli.md has every command', async () => {
  const page = fileURLToPath(new URL('../../../../docs/reference/cli.md', import.meta.url));
  await expect(commandPage(program)).toMatchFileSnapshot(page);
});

it.each(leaves(program))('%s %s shows its help and ends with 0', async (...path) => {
  const { code, stdout, stderr } = await runCli({ cwd: '/' }, ...path, '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`Usage: patchbay ${path.join(' ')}`);
});
