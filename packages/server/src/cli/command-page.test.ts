import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { commandPage } from '../fixtures/command-page.ts';
import { runCli } from '../fixtures/run-cli.ts';
import { actions } from './actions.ts';
import { createProgram, exampleOf } from './program.ts';

const nothing = () => {};
const never = () => Promise.reject(new Error('nothing is done here'));
const program = createProgram(
  {
    cwd: '/',
    env: {},
    command: 'patchbay',
    output: { result: nothing, note: nothing },
    write: nothing,
    readInput: never,
    readLines: async function* () {},
    isInteractive: false,
    interruption: () => new AbortController().signal,
    showProgress: () => undefined,
    signal: new AbortController().signal,
    goOn: never,
  },
  nothing,
);

const leaves = (command: Command, path: readonly string[] = []): (readonly string[])[] =>
  command.commands.flatMap((each) =>
    each.commands.length > 0 ? leaves(each, [...path, each.name()]) : [[...path, each.name()]],
  );

it('every command has an action, and every action a command', () => {
  expect(Object.keys(actions)).toEqual(leaves(program).map((path) => path.join(' ')));
});

it('docs/reference/cli.md has every command', async () => {
  const page = fileURLToPath(new URL('../../../../docs/reference/cli.md', import.meta.url));
  await expect(commandPage(program)).toMatchFileSnapshot(page);
});

/** The words of a command line, as a shell splits it, without redirections. */
const words = (line: string): readonly string[] =>
  [...line.replace(/ > .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

it.each(leaves(program))('%s %s has an example with arguments and options that the command accepts', (...path) => {
  const [, ...given] = words(exampleOf(path.join(' ')) ?? '');
  const command = path.reduce<Command | undefined>(
    (found, name) => found?.commands.find((each) => each.name() === name),
    program,
  );
  const { operands, unknown } = command?.parseOptions(given.slice(path.length)) ?? { operands: [], unknown: ['-'] };
  expect(unknown).toEqual([]);
  const parameters = command?.registeredArguments ?? [];
  const least = parameters.filter(({ required }) => required).length;
  const most = parameters.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : parameters.length;
  expect(operands.length).toBeGreaterThanOrEqual(least);
  expect(operands.length).toBeLessThanOrEqual(most);
});

it.each(leaves(program))('%s %s shows its help and ends with 0', async (...path) => {
  const { code, stdout, stderr } = await runCli({ cwd: '/' }, ...path, '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`Usage: patchbay ${path.join(' ')}`);
  expect(stdout).toContain(`Example:\n  patchbay ${path.join(' ')} `);
});

const groups = program.commands.filter(({ commands }) => commands.length > 0).map((each) => each.name());

it.each(groups)('%s shows examples of its commands in its help', async (group) => {
  const { code, stdout } = await runCli({ cwd: '/' }, group, '--help');
  const [, shown = ''] = /\nExamples?:\n((?: {2}patchbay .*\n)+)/.exec(stdout) ?? [];
  const own = leaves(program).filter(([first]) => first === group);
  const examples = own.map((path) => `  ${exampleOf(path.join(' '))}\n`);
  expect([code, shown]).toEqual([0, examples.slice(0, 2).join('')]);
});
