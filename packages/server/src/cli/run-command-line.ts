import type { CliContext } from './cli-context.ts';
import { describeCliFailure } from './describe-cli-failure.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

/** Do what a command line asks for. The exit code; nothing is thrown. */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const json = args.includes('--json');
  const onExit = (code: number): void => {
    exitCode = code;
  };
  // A word that is no command is one that was misspelt, and no argument of the default command.
  const program = createProgram(context, onExit, { hasDefault: args[0]?.startsWith('-') ?? true, json });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { text, error: document, exitCode: failed } = await describeCliFailure(error, context.command);
    if (json && failed !== exitCodes.ok) {
      context.output.note(JSON.stringify({ error: { ...document, exitCode: failed } }));
    } else if (text !== '') context.output.note(`patchbay: ${text}`);
    return failed;
  }
  return exitCode;
}
