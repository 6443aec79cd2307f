import { setTimeout as delay } from 'node:timers/promises';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { counted, printDocument, printResult, printRows } from './output.ts';
import { ask, clientOf, deleteConfirmed, listAll, type RemoteOptions } from './remote.ts';

/** The writable members of a webhook. */
interface WebhookInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
}

interface Webhook extends WebhookInput {
  readonly id: string;
}

interface Delivery {
  readonly id: string;
  readonly eventType: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly createdAt: string;
}

const DELIVERIES = 100;
const LOOK_EVERY_MS = 250;
/** After its first attempt a delivery waits for seconds, then for minutes. */
const FIRST_ATTEMPT_MS = 20_000;

const pathOf = (id: string): string => `/webhooks/${encodeURIComponent(id)}`;

export const list: Action<RemoteOptions> = async (context, options) => {
  const all: Webhook[] = [];
  const client = clientOf(options, context);
  for await (const webhook of listAll<Webhook>(client, '/webhooks', context.signal)) all.push(webhook);
  printRows(context.output, options, all, ({ id, url, events, enabled }) => [
    id,
    enabled ? 'on' : 'off',
    url,
    events.join(' '),
  ]);
  context.output.note(counted(all.length, 'webhook'));
};

export const get: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  printDocument(context.output, options, await ask(context, options, { method: 'GET', path: pathOf(id) }));
};

const line = ({ id, eventType, state, attempts, createdAt }: Delivery): readonly string[] => [
  createdAt,
  state,
  counted(attempts, 'attempt'),
  eventType,
  id,
];

interface DeliveriesOptions extends RemoteOptions {
  readonly state?: string;
}

/** The latest deliveries. */
async function deliveriesOf(context: CliContext, options: DeliveriesOptions, id: string): Promise<readonly Delivery[]> {
  const state = options.state ? `&state=${options.state}` : '';
  const path = `${pathOf(id)}/deliveries?limit=${DELIVERIES}${state}`;
  return (await ask<{ readonly data: readonly Delivery[] }>(context, options, { method: 'GET', path })).data;
}

export const deliveries: Action<DeliveriesOptions, [id: string]> = async (context, options, id) => {
  const all = await deliveriesOf(context, options, id);
  printRows(context.output, options, all, line);
  const { length } = all;
  context.output.note(
    length < DELIVERIES ? counted(length, 'delivery', 'deliveries') : `the last ${DELIVERIES} deliveries`,
  );
};

/** Waits for one attempt, to learn whether the receiver accepts it. */
export const test: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  let delivery = await ask<Delivery>(context, options, { method: 'POST', path: `${pathOf(id)}/test` });
  const deadline = performance.now() + FIRST_ATTEMPT_MS;
  while (delivery.state === 'waiting' && delivery.attempts === 0 && performance.now() < deadline) {
    await delay(LOOK_EVERY_MS, undefined, { signal: context.signal });
    const all = await deliveriesOf(context, options, id);
    delivery = all.find((each) => each.id === delivery.id) ?? delivery;
  }
  printResult(context.output, options, delivery, line(delivery).join('  '));
  return delivery.state === 'delivered' ? exitCodes.ok : exitCodes.failure;
};

export const replay: Action<RemoteOptions & { readonly since: string }, [id: string]> = async (
  context,
  options,
  id,
) => {
  const { since } = options;
  const replayed = await ask(context, options, { method: 'POST', path: `${pathOf(id)}/replay`, body: { since } });
  context.output.result(JSON.stringify(replayed));
};

/** A webhook with its secret, which is shown this once: a script takes it from standard output. */
interface SecretWebhook extends Webhook {
  readonly secret: string;
}

/** Options of a webhook, as typed. */
interface WebhookOptions extends RemoteOptions {
  readonly event?: readonly string[];
  readonly description?: string;
  readonly disable?: boolean;
}

export const create: Action<WebhookOptions, [url: string]> = async (context, options, url) => {
  const { event: events = [], description = '', disable = false } = options;
  const body: WebhookInput = { url, events, description, enabled: !disable };
  const made = await ask<SecretWebhook>(context, options, { method: 'POST', path: '/webhooks', body });
  context.output.note(`made ${made.id}; its secret is shown this once`);
  printResult(context.output, options, made, made.secret);
};

interface UpdateOptions extends WebhookOptions {
  readonly target?: string;
  readonly enable?: boolean;
}

/** Replaces the version that was read, so that concurrent changes are not lost. */
export const update: Action<UpdateOptions, [id: string]> = async (context, options, id) => {
  const { event, description, enable, disable, target } = options;
  if ([event, description, enable, disable, target].every((option) => option === undefined)) {
    throw new UsageError('nothing to change: use --target, --event, --description, --enable and --disable');
  }
  const { given, etag } = await readWebhook(context, options, id);
  const body: WebhookInput = {
    url: target ?? given.url,
    events: event ?? given.events,
    description: description ?? given.description,
    enabled: enable === true || (disable !== true && given.enabled),
  };
  const request = { method: 'PUT', path: pathOf(id), body, headers: { 'if-match': etag } } as const;
  printDocument(context.output, options, await ask(context, options, request));
};

export const remove: Action<RemoteOptions & { readonly yes?: boolean }, [id: string]> = async (
  context,
  options,
  id,
) => {
  const { given, etag } = await readWebhook(context, options, id);
  const question = `Delete ${id}, and send nothing to ${given.url} any more?`;
  return await deleteConfirmed(context, options, { path: pathOf(id), etag, question, deleted: { id } });
};

async function readWebhook(context: CliContext, options: RemoteOptions, id: string) {
  const request = { method: 'GET', path: pathOf(id), signal: context.signal } as const;
  const { json, headers } = await clientOf(options, context).request(request);
  return { given: json as WebhookInput, etag: headers.get('etag') ?? '' };
}

export const rotateSecret: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  const request = { method: 'POST', path: `${pathOf(id)}/rotate-secret` } as const;
  const made = await ask<SecretWebhook>(context, options, request);
  const after = 'for a day, deliveries are signed with the one before as well';
  context.output.note(`${id} has a new secret, shown this once; ${after}`);
  printResult(context.output, options, made, made.secret);
};
