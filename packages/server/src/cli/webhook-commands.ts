import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { withServer } from './options.ts';
import type { Run } from './program.ts';
import type { RemoteOptions } from './remote.ts';

export interface DeliveriesOptions extends RemoteOptions {
  readonly state?: string;
}

/** `webhooks`: what is told of events, and what became of that. They are made over the API, which shows their secret. */
export function addWebhookCommands(program: Command, context: CliContext, run: Run): void {
  const webhooks = program.command('webhooks').description('Look after webhooks');
  const actions = async () => (await import('./webhook-actions.ts')).webhookActions;

  withServer(webhooks.command('list'))
    .description('List the webhooks: id, state, URL, events')
    .action((options: RemoteOptions) => run(async () => await (await actions()).list(context, options)));
  const ofOne = (name: string, description: string) =>
    withServer(webhooks.command(name)).description(description).argument('<webhook>', 'Its id');
  ofOne('get', 'Show a webhook, as JSON').action((id: string, options: RemoteOptions) =>
    run(async () => await (await actions()).get(id)(context, options)),
  );
  ofOne('deliveries', 'List what was sent to a webhook, the newest first, with the end of each')
    .addOption(new Option('--state <state>', 'Only those').choices(['waiting', 'delivered', 'failed']))
    .action((id: string, options: DeliveriesOptions) =>
      run(async () => await (await actions()).deliveries(id)(context, options)),
    );
  ofOne('test', 'Send a test event, and wait for what becomes of it').action((id: string, options: RemoteOptions) =>
    run(async () => await (await actions()).test(id)(context, options)),
  );
  ofOne('replay', 'Send what a webhook has missed')
    .requiredOption('--since <time>', 'Such as 2026-01-31T12:00:00Z')
    .action((id: string, options: RemoteOptions & { readonly since: string }) =>
      run(async () => await (await actions()).replay(id)(context, options)),
    );
}
