import { type Reply, type UpstreamOptions, upstreamFaults, upstreamReplies } from '@patchbay/testing';
import { contentFilter, fitting, streamWithoutEvents } from './replies.ts';
import { vendorKey } from './vendors.ts';

/** How a provider's server fails: by what it replies, or before it can. */
export interface Fault {
  readonly reply?: Reply;
  readonly tls?: UpstreamOptions['tls'];
  readonly address?: 'closed port' | 'unknown host';
}

const { status, healthy, altered, infiniteEmbedding } = upstreamReplies;

const call = (name: string, values: Record<string, unknown> | string): Reply =>
  healthy({ toolCalls: [{ name, arguments: values as Record<string, never> }] });

const own: Readonly<Record<string, Fault>> = {
  'connection refused': { address: 'closed port' },
  'unknown host': { address: 'unknown host' },
  'certificate not trusted': { tls: 'self-signed' },
  'certificate of another host': { tls: 'wrong-host' },
  'handshake without an end': { tls: 'hang' },
  '500 with our key': { reply: status(500, { message: `The upstream was told to fail: ${vendorKey}` }) },
  '400 content filter': { reply: contentFilter() },
  'no usage': { reply: fitting({ usage: null }) },

  'stream without events': { reply: streamWithoutEvents() },
  'stream of comments': { reply: streamWithoutEvents(50) },

  'no call': { reply: healthy() },
  'unknown function': { reply: call('forecast', { city: 'Bern' }) },
  'arguments that do not fit': { reply: call('weather', { town: 'Bern' }) },
  // Where arguments are no text, as with Google, they are no object.
  'arguments that are no JSON': {
    reply: altered(
      (body) => JSON.stringify(body).replace(/"\{\\"city\\":[^}]*\}"|\{"city":"Bern"\}/, '"{\\"city\\":"'),
      {
        toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }],
      },
    ),
  },

  'empty vector': { reply: healthy({ embedding: [] }) },
  'vector of another length': { reply: healthy({ embedding: [0.5, 0.25, 1] }) },
  'vector with infinity': { reply: infiniteEmbedding() },
};

/** @param redirectTarget Where redirects to another origin point. */
export function faultNamed(name: string, redirectTarget: string): Fault {
  const found = own[name] ?? upstreamFaults(redirectTarget).find((fault) => fault.name === name);
  if (!found) throw new Error(`no fault is called ${name}`);
  return found;
}
