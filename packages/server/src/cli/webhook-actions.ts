import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@patchbay/client';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { confirmed } from './input.ts';
import { counted, table } from './output.ts';
import { clientOf, type RemoteOptions } from './remote.ts';
import type { DeliveriesOptions, UpdateWebhookOptions, WebhookOptions } from './webhook-commands.ts';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

interface Delivery {
  readonly id: string;
  readonly eventType: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly createdAt: string;
}

const PAGE = 100;
const LOOK_EVERY_MS = 250;
/** After its first attempt a delivery waits for seconds, then for minutes. */
const FIRST_ATTEMPT_MS = 20_000;

const pathOf = (id: string): string => `/webhooks/${encodeURIComponent(id)}`;

async function read<T>(client: Client, path: string, signal: AbortSignal): Promise<T> {
  return (await client.request({ method: 'GET', path, signal })).json as T;
}

const list: Action<RemoteOptions> = async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const all: Webhook[] = [];
  for (;;) {
    const path = `/webhooks?limit=${PAGE}&offset=${all.length}`;
    const { data } = await read<{ readonly data: readonly Webhook[] }>(client, path, signal);
    all.push(...data);
    if (data.length < PAGE) break;
  }
  const row = ({ id, url, events, enabled }: Webhook) => [id, enabled ? 'on' : 'off', url, events.join(' ')];
  if (options.json) for (const each of all) output.result(JSON.stringify(each));
  else for (const line of table(all.map(row))) output.result(line);
  output.note(counted(all.length, 'webhook'));
  return exitCodes.ok;
};

const get: (id: string) => Action<RemoteOptions> = (id) => async (context, options) => {
  const webhook = await read(clientOf(options, context), pathOf(id), context.signal);
  context.output.result(JSON.stringify(webhook, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
};

const line = ({ id, eventType, state, attempts, createdAt }: Delivery): readonly string[] => [
  createdAt,
  state,
  counted(attempts, 'attempt'),
  eventType,
  id,
];

const deliveries: (id: string) => Action<DeliveriesOptions> = (id) => async (context, options) => {
  const { output, signal } = context;
  const state = options.state ? `&state=${options.state}` : '';
  const path = `${pathOf(id)}/deliveries?limit=${PAGE}${state}`;
  const { data } = await read<{ readonly data: readonly Delivery[] }>(clientOf(options, context), path, signal);
  if (options.json) for (const each of data) output.result(JSON.stringify(each));
  else for (const text of table(data.map(line))) output.result(text);
  output.note(data.length < PAGE ? counted(data.length, 'delivery', 'deliveries') : `the last ${PAGE} deliveries`);
  return exitCodes.ok;
};

/** One attempt is waited for: whether the receiver takes it is what is asked. */
const test: (id: string) => Action<RemoteOptions> = (id) => async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const sent = await client.request({ method: 'POST', path: `${pathOf(id)}/test`, signal });
  let delivery = sent.json as Delivery;
  const deadline = performance.now() + FIRST_ATTEMPT_MS;
  while (delivery.state === 'waiting' && delivery.attempts === 0 && performance.now() < deadline) {
    await delay(LOOK_EVERY_MS, undefined, { signal });
    const path = `${pathOf(id)}/deliveries?limit=${PAGE}`;
    const { data } = await read<{ readonly data: readonly Delivery[] }>(client, path, signal);
    delivery = data.find((each) => each.id === delivery.id) ?? delivery;
  }
  output.result(options.json ? JSON.stringify(delivery) : line(delivery).join('  '));
  return delivery.state === 'delivered' ? exitCodes.ok : exitCodes.failure;
};

const replay: (id: string) => Action<RemoteOptions & { readonly since: string }> = (id) => async (context, options) => {
  const request = { method: 'POST', path: `${pathOf(id)}/replay`, body: { since: options.since } } as const;
  const { text } = await clientOf(options, context).request({ ...request, signal: context.signal });
  context.output.result(text);
  return exitCodes.ok;
};

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

/** Replaces the version that was read, so that concurrent changes are not lost. */
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

export const webhookActions = { list, get, deliveries, test, replay, create, update, remove, rotateSecret } as const;
