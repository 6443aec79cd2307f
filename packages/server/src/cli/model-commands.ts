import { type Command, Option } from 'commander';
import type { Action, CliContext } from './cli-context.ts';
import type { ChatOptions } from './models/chat.ts';
import type { ExplainOptions } from './models/models.ts';
import { collect, integer, withServer } from './options.ts';
import type { Run } from './program.ts';
import type { RemoteOptions } from './remote.ts';

const MOST_TOKENS = 1_000_000;

/** `models`, `chat` and `embed`. */
export function addModelCommands(program: Command, context: CliContext, run: Run): void {
  const perform = <O>(load: () => Promise<Action<O>>, options: O) =>
    run(async () => await (await load())(context, options));
  const models = program.command('models').description('Inspect the models of the server');
  withServer(models.command('list'))
    .description('List the models of all enabled providers')
    .action((options: RemoteOptions) => perform(async () => (await import('./models/models.ts')).list, options));
  withServer(models.command('get'))
    .description('Show a model with its price, as JSON')
    .argument('<model>', 'Such as openai/gpt-4')
    .action((id: string, options: RemoteOptions) =>
      perform(async () => (await import('./models/models.ts')).get(id), options),
    );
  withServer(models.command('explain'))
    .description('Show which model would serve a request, and why, without calling it')
    .option('--model <model>', 'As in a request. Default: the server chooses')
    .addOption(new Option('--optimize <goal>', 'What counts').choices(['quality', 'cost', 'performance', 'balanced']))
    .option('--capability <name>', 'Required capability; repeatable', collect)
    .action((options: ExplainOptions) => perform(async () => (await import('./models/models.ts')).explain, options));
  withServer(models.command('test'))
    .description('Request one word from a model to test key and model; costs a few tokens')
    .argument('<model>', 'Such as openai/gpt-4')
    .action((id: string, options: RemoteOptions) =>
      perform(async () => (await import('./models/models.ts')).test(id), options),
    );

  withServer(program.command('chat'))
    .description('Send a message to a model. Without one, at a terminal: start a conversation')
    .argument('[message]', 'A text, @file, or - for standard input')
    .option('--model <model>', 'Default: the server chooses')
    .option('--system <text>', 'System prompt: text or @file')
    .option('--max-tokens <number>', 'Maximum tokens of the completion', integer(1, MOST_TOKENS))
    .option('--no-stream', 'Print the completion only when it is complete')
    .action((message: string | undefined, options: ChatOptions) =>
      perform(async () => (await import('./models/chat.ts')).chat(message), options),
    );
  withServer(program.command('embed'))
    .description('Create an embedding of a text')
    .argument('<text>', 'A text, @file, or - for standard input')
    .option('--model <model>', 'Default: the server chooses')
    .action((text: string, options: RemoteOptions & { readonly model?: string }) =>
      perform(async () => (await import('./models/embed.ts')).embed(text), options),
    );
}
