import { Argument, type Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { exitCodes } from './exit-codes.ts';
import type { Run } from './program.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `completion`: what a shell needs to complete commands, options and their values. Made of the program itself. */
export function addCompletionCommand(program: Command, context: CliContext, run: Run): void {
  program
    .command('completion')
    .description('Print what a shell needs to complete commands: eval "$(patchbay completion bash)"')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(shells))
    .action((shell: (typeof shells)[number]) =>
      run(async () => {
        const { completionTree } = await import('./completion/completion-tree.ts');
        const [{ bashCompletion }, { zshCompletion }, { fishCompletion }] = await Promise.all([
          import('./completion/bash-completion.ts'),
          import('./completion/zsh-completion.ts'),
          import('./completion/fish-completion.ts'),
        ]);
        const write = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell];
        context.write(write(completionTree(program)));
        return exitCodes.ok;
      }),
    );
}
