import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { collect, withServer } from './options.ts';
import type { Run } from './program.ts';
import type { RemoteOptions } from './remote.ts';

export interface DeliveriesOptions extends RemoteOptions {
  readonly state?: string;
}

/** Options of a webhook, as typed. */
export interface WebhookOptions extends RemoteOptions {
  readonly event?: readonly string[];
  readonly description?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export interface UpdateWebhookOptions extends WebhookOptions {
  readonly target?: string;
}

/** `webhooks`: receivers of events, and their deliveries. */
export function addWebhookCommands(program: Command, context: CliContext, run: Run): void {
  const webhooks = program.command('webhooks').description('Manage webhooks');
  const actions = async () => (await import('./webhook-actions.ts')).webhookActions;

  withServer(webhooks.command('list'))
    .description('List the webhooks: id, state, URL, events')
    .action((options: RemoteOptions) => run(async () => await (await actions()).list(context, options)));
  const ofOne = (name: string, description: string) =>
    withServer(webhooks.command(name)).description(description).argument('<webhook>', 'Its id');
  const events = 'Kind of event, such as function.updated, once for each; "*" is every kind';
  const description = ['--description <text>', 'What the webhook is for'] as const;
  withServer(webhooks.command('create'))
    .description('Create a webhook; prints its secret once, to standard output')
    .argument('<target>', 'URL that events are sent to')
    .requiredOption('--event <kind>', events, collect)
    .option(...description)
    .option('--disable', 'Create it disabled')
    .action((target: string, options: WebhookOptions) =>
      run(async () => await (await actions()).create(target)(context, options)),
    );
  ofOne('update', 'Update, enable or disable a webhook')
    .option('--target <url>', 'URL that events are sent to')
    .option('--event <kind>', `${events}; replaces all existing events`, collect)
    .option(...description)
    .addOption(new Option('--enable', 'Enable it and send pending events').conflicts('disable'))
    .option('--disable', 'Disable it')
    .action((id: string, options: UpdateWebhookOptions) =>
      run(async () => await (await actions()).update(id)(context, options)),
    );
  ofOne('delete', 'Delete a webhook and its pending deliveries')
    .option('-y, --yes', 'Skip the confirmation; required if standard input is not a terminal')
    .action((id: string, options: RemoteOptions & { readonly yes?: boolean }) =>
      run(async () => await (await actions()).remove(id)(context, options)),
    );
  ofOne('rotate-secret', 'Rotate the secret of a webhook, to standard output; the old one also signs for a day').action(
    (id: string, options: RemoteOptions) => run(async () => await (await actions()).rotateSecret(id)(context, options)),
  );
  ofOne('get', 'Show a webhook, as JSON').action((id: string, options: RemoteOptions) =>
    run(async () => await (await actions()).get(id)(context, options)),
  );
  ofOne('deliveries', 'List the deliveries of a webhook, newest first')
    .addOption(new Option('--state <state>', 'Only those').choices(['waiting', 'delivered', 'failed']))
    .action((id: string, options: DeliveriesOptions) =>
      run(async () => await (await actions()).deliveries(id)(context, options)),
    );
  ofOne('test', 'Send a test event and wait for the result').action((id: string, options: RemoteOptions) =>
    run(async () => await (await actions()).test(id)(context, options)),
  );
  ofOne('replay', 'Resend missed events')
    .requiredOption('--since <time>', 'Such as 2026-01-31T12:00:00Z')
    .action((id: string, options: RemoteOptions & { readonly since: string }) =>
      run(async () => await (await actions()).replay(id)(context, options)),
    );
}
