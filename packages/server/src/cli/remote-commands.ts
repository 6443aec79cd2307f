import { type Command, Option } from 'commander';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import type { ChatOptions, ExplainOptions } from './model-actions.ts';
import { collect, integer, withServer } from './options.ts';
import { counted, table } from './output.ts';
import type { Run } from './program.ts';
import { clientOf, type RemoteOptions } from './remote.ts';

const MOST_TOKENS = 1_000_000;

/** `models`, `chat` and `embed`. */
export function addModelCommands(program: Command, context: CliContext, run: Run): void {
  const perform = <O>(load: () => Promise<Action<O>>, options: O) =>
    run(async () => await (await load())(context, options));
  const models = program.command('models').description('Inspect the models of the server');
  withServer(models.command('list'))
    .description('List the models of all enabled providers')
    .action((options: RemoteOptions) => perform(async () => (await import('./model-actions.ts')).list, options));
  withServer(models.command('get'))
    .description('Show a model with its price, as JSON')
    .argument('<model>', 'Such as openai/gpt-4')
    .action((id: string, options: RemoteOptions) =>
      perform(async () => (await import('./model-actions.ts')).get(id), options),
    );
  withServer(models.command('explain'))
    .description('Show which model would serve a request, and why, without calling it')
    .option('--model <model>', 'As in a request. Default: the server chooses')
    .addOption(new Option('--optimize <goal>', 'What counts').choices(['quality', 'cost', 'performance', 'balanced']))
    .option('--capability <name>', 'Required capability; repeatable', collect)
    .action((options: ExplainOptions) => perform(async () => (await import('./model-actions.ts')).explain, options));
  withServer(models.command('test'))
    .description('Request one word from a model to test key and model; costs a few tokens')
    .argument('<model>', 'Such as openai/gpt-4')
    .action((id: string, options: RemoteOptions) =>
      perform(async () => (await import('./model-actions.ts')).test(id), options),
    );

  withServer(program.command('chat'))
    .description('Send a message to a model. Without one, at a terminal: start a conversation')
    .argument('[message]', 'A text, @file, or - for standard input')
    .option('--model <model>', 'Default: the server chooses')
    .option('--system <text>', 'System prompt: text or @file')
    .option('--max-tokens <number>', 'Maximum tokens of the completion', integer(1, MOST_TOKENS))
    .option('--no-stream', 'Print the completion only when it is complete')
    .action((message: string | undefined, options: ChatOptions) =>
      perform(async () => (await import('./model-actions.ts')).chat(message), options),
    );
  withServer(program.command('embed'))
    .description('Create an embedding of a text')
    .argument('<text>', 'A text, @file, or - for standard input')
    .option('--model <model>', 'Default: the server chooses')
    .action((text: string, options: RemoteOptions & { readonly model?: string }) =>
      perform(async () => (await import('./model-actions.ts')).embed(text), options),
    );
}

const groupings = ['key', 'function', 'model', 'provider', 'kind', 'outcome', 'hour', 'day'];

interface UsageOptions extends RemoteOptions {
  readonly from?: string;
  readonly to?: string;
  readonly groupBy?: string;
}

interface Totals {
  readonly executions: number;
  readonly modelCalls: number;
  readonly cost: { readonly amount: string } | null;
}

/** `usage` and `openapi`: one request each. */
export function addAreaCommands(program: Command, context: CliContext, run: Run): void {
  const { output, signal } = context;
  withServer(program.command('usage'))
    .description('Show usage: executions, model calls, cost')
    .option('--from <day>', 'First day, such as 2026-01-31. Default: 30 days before the last one')
    .option('--to <day>', 'Day after the last one. Default: now')
    .addOption(new Option('--group-by <what>', 'Group by').choices(groupings))
    .action((options: UsageOptions) =>
      run(async () => {
        const { from, to, groupBy, json } = options;
        const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }), ...(groupBy && { groupBy }) });
        const reply = await clientOf(options, context).request({
          method: 'GET',
          path: `/usage?${query.toString()}`,
          signal,
        });
        const { data, total } = reply.json as { data: (Totals & { group: string | null })[]; total: Totals };
        const row = (name: string, { executions, modelCalls, cost }: Totals) => [
          name,
          counted(executions, 'execution'),
          counted(modelCalls, 'model call'),
          cost === null ? 'cost unknown' : `${cost.amount} USD`,
        ];
        if (json) output.result(reply.text);
        else
          for (const line of table([...data.map((each) => row(each.group ?? '-', each)), row('total', total)]))
            output.result(line);
        return exitCodes.ok;
      }),
    );
  withServer(program.command('openapi'))
    .description('Print the OpenAPI document of the server')
    .action((options: RemoteOptions) =>
      run(async () => {
        const reply = await clientOf(options, context).request({ method: 'GET', path: '/openapi.json', signal });
        output.result(options.json ? JSON.stringify(reply.json) : JSON.stringify(reply.json, undefined, 2));
        return exitCodes.ok;
      }),
    );
}
