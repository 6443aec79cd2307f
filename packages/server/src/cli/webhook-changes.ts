import type { Action, CliContext } from './cli-context.ts';
import { confirmed } from './confirm.ts';
import { exitCodes } from './exit-codes.ts';
import { clientOf, type RemoteOptions } from './remote.ts';
import { UsageError } from './usage-error.ts';
import type { UpdateWebhookOptions, WebhookOptions } from './webhook-commands.ts';

interface WebhookInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
}

interface SecretWebhook extends WebhookInput {
  readonly id: string;
  readonly secret: string;
}

const pathOf = (id: string): string => `/webhooks/${encodeURIComponent(id)}`;

/** The secret is what a script takes; everything else is for the person. */
function showSecret({ output }: CliContext, { json }: RemoteOptions, made: SecretWebhook, note: string): number {
  output.note(note);
  output.result(json ? JSON.stringify(made) : made.secret);
  return exitCodes.ok;
}

const create: (url: string) => Action<WebhookOptions> = (url) => async (context, options) => {
  const { event: events = [], description = '', disable = false } = options;
  const body = { url, events, description, enabled: !disable } satisfies WebhookInput;
  const request = { method: 'POST', path: '/webhooks', body, signal: context.signal } as const;
  const made = (await clientOf(options, context).request(request)).json as SecretWebhook;
  return showSecret(context, options, made, `made ${made.id}; its secret is shown this once`);
};

/** As it was when it was read: what somebody else changes meanwhile is not lost. */
const update: (id: string) => Action<UpdateWebhookOptions> = (id) => async (context, options) => {
  const { event, description, enable, disable, target } = options;
  if ([event, description, enable, disable, target].every((option) => option === undefined)) {
    throw new UsageError('nothing to change: there are --target, --event, --description, --enable and --disable');
  }
  const { signal, output } = context;
  const client = clientOf(options, context);
  const before = await client.request({ method: 'GET', path: pathOf(id), signal });
  const given = before.json as WebhookInput;
  const body: WebhookInput = {
    url: target ?? given.url,
    events: event ?? given.events,
    description: description ?? given.description,
    enabled: enable === true || (disable !== true && given.enabled),
  };
  const headers = { 'if-match': before.headers.get('etag') ?? '' };
  const { json } = await client.request({ method: 'PUT', path: pathOf(id), body, signal, headers });
  output.result(JSON.stringify(json, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
};

const remove: (id: string) => Action<RemoteOptions & { readonly yes?: boolean }> = (id) => async (context, options) => {
  const { signal, output } = context;
  const client = clientOf(options, context);
  const before = await client.request({ method: 'GET', path: pathOf(id), signal });
  const { url } = before.json as WebhookInput;
  const question = `Delete ${id}, and send nothing to ${url} any more?`;
  if (!(await confirmed(context, { yes: options.yes, question }))) {
    output.note('nothing was deleted');
    return exitCodes.failure;
  }
  const headers = { 'if-match': before.headers.get('etag') ?? '' };
  await client.request({ method: 'DELETE', path: pathOf(id), signal, headers });
  output.result(options.json ? JSON.stringify({ id, outcome: 'deleted' }) : `deleted  ${id}`);
  return exitCodes.ok;
};

const rotateSecret: (id: string) => Action<RemoteOptions> = (id) => async (context, options) => {
  const request = { method: 'POST', path: `${pathOf(id)}/rotate-secret`, signal: context.signal } as const;
  const made = (await clientOf(options, context).request(request)).json as SecretWebhook;
  const note = `${id} has a new secret, shown this once; for a day, deliveries are signed with the one before as well`;
  return showSecret(context, options, made, note);
};

export const webhookChanges = { create, update, remove, rotateSecret } as const;
