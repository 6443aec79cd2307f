import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../packages/server/src/cli/program.ts';
import { type DocumentedCommand, documentedCommands } from './documented-commands.ts';

type Command = ReturnType<typeof createProgram>;

const root = fileURLToPath(new URL('../..', import.meta.url));
// Decisions and the changelog tell what was; the page of all commands is written from the commands.
const notChecked = /^(docs\/decisions\/|docs\/reference\/cli\.md$|CHANGELOG\.md$)/;
const patterns = ['*.md', 'docs/**/*.md', '{bench,deploy}/**/*.md', '{packages,plugins,examples}/*/*.md'];
const pages = globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }).filter(
  (file) => !notChecked.test(file),
);
const shown = pages.flatMap((file) => documentedCommands(file, readFileSync(join(root, file), 'utf8')));

/** Why the command line does not accept it; nothing if it does. */
function faultOf({ words, isMention }: DocumentedCommand): string | undefined {
  const nothing = () => {};
  const never = () => Promise.reject(new Error('nothing is done here'));
  const signal = new AbortController().signal;
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
      interruption: () => signal,
      showProgress: nothing,
      signal,
      goOn: never,
    },
    nothing,
    { hasDefault: words[0]?.startsWith('-') ?? true },
  );
  for (const leaf of leavesOf(program)) leaf.action(nothing);
  if (isMention) return nameFault(program, words);
  try {
    program.parse(words, { from: 'user' });
    return undefined;
  } catch (error) {
    const { code, exitCode, message } = error as { code?: string; exitCode?: number; message: string };
    // Help and version end the parser as well.
    return exitCode === 0 ? undefined : `${message} (${code ?? 'no code'})`;
  }
}

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length > 0 ? command.commands.flatMap(leavesOf) : [command];

function nameFault(program: Command, words: readonly string[]): string | undefined {
  let at = program;
  for (const word of words) {
    const next = at.commands.find((each) => each.name() === word);
    // The words after the name of a command are arguments.
    if (!next && at.commands.length === 0) return argumentFault(at, words);
    if (!next) return `${at.name()} has no command ${word}`;
    at = next;
  }
  return undefined;
}

function argumentFault(command: Command, words: readonly string[]): string | undefined {
  const given = words.slice(words.indexOf(command.name()) + 1);
  const { registeredArguments } = command;
  const most = registeredArguments.some(({ variadic }) => variadic) ? given.length : registeredArguments.length;
  return given.length > most ? `${command.name()} takes ${most} arguments, not ${given.length}` : undefined;
}

describe('commands of the documentation', () => {
  it('are found', () => {
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.some(({ isMention }) => isMention)).toBe(true);
  });

  it('are accepted by the command line', () => {
    const faults = shown.flatMap((command) => {
      const fault = faultOf(command);
      return fault === undefined ? [] : [`${command.place}: patchbay ${command.words.join(' ')}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['an unknown command', '`patchbay modles list`'],
    ['an unknown command of a group', '`patchbay models lst`'],
    ['an argument too many', '`patchbay models explain auto`'],
    ['an unknown option', '`patchbay models explain --modell auto`'],
    ['an unknown option of a line', '```sh\nnpx patchbay models list --al | head\n```'],
    ['an argument that is missing', '```sh\npatchbay models test # one of them\n```'],
  ])('are refused with %s', (_, text) => {
    const [command] = documentedCommands('a.md', text);
    expect(command && faultOf(command)).toEqual(expect.any(String));
  });
});

describe('documentedCommands', () => {
  it('splits words as a shell does', () => {
    const text = '```sh\nKEY=x npx patchbay chat \'two words\' --model "a b" \\\n  --json > file # note\n```\n';
    expect(documentedCommands('a.md', text)).toEqual([
      { words: ['chat', 'two words', '--model', 'a b', '--json'], isMention: false, place: 'a.md:2' },
    ]);
  });

  it('tells names in sentences from whole lines', () => {
    expect(documentedCommands('a.md', 'Run `patchbay import`, or\n`npx patchbay types --out a.ts`.')).toEqual([
      { words: ['import'], isMention: true, place: 'a.md:1' },
      { words: ['types', '--out', 'a.ts'], isMention: false, place: 'a.md:2' },
    ]);
  });
});
