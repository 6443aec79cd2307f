import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { counted } from './counted.ts';
import { exitCodes } from './exit-codes.ts';
import { withServer } from './options.ts';
import type { Run } from './program.ts';
import { clientOf, type RemoteOptions } from './remote.ts';
import { table } from './table.ts';

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
