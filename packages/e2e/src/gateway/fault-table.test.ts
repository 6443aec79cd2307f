import { errorCodes } from '@patchbay/core';
import { startUpstream, upstreamFaults } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { commonFaults, embeddingFaults, type FaultRow, functionFaults, streamFaults } from './fault-table.ts';
import { faultNamed } from './faults.ts';
import { type Asking, playFault } from './play-fault.ts';
import { type GatewayRequest, gatewayRequests } from './requests.ts';
import { openaiResponses, type Vendor, vendorKey, vendors } from './vendors.ts';

// Every fault of a provider, with every vendor and every way to ask, for a named model and for any.

// Most of the time of a fault is spent waiting.
vi.setConfig({ maxConcurrency: 8, testTimeout: 120_000 });

const wordsOfUpstreams =
  /told to fail|Please sign in|Oops|Overloaded|SSH-2|not a chunk|maximum context length|input token count|blocked|not enabled/i;

type IsPlayed = (request: GatewayRequest) => boolean;
const tables: readonly (readonly [readonly FaultRow[], IsPlayed])[] = [
  [commonFaults, () => true],
  [streamFaults, ({ streams }) => streams],
  [functionFaults, ({ name }) => name === 'function-calling'],
  [embeddingFaults, ({ name }) => name === 'embeddings'],
];

/** Cases that a vendor lacks: Google counts no tokens of embeddings, and filters content only where it generates. */
const impossible = new Set(['google embeddings negative usage', 'google embeddings 400 content filter']);
/** With the head of a JSON document, which is at once no answer where a stream was asked for. */
const documentsOnly = new Set(['hang after headers', 'hang within the body', 'trickle']);

/**
 * Megabytes, of which each request would read the same with the same code: asked for in one way, and as a stream, of one
 * vendor. At full size, of every vendor.
 */
const heavy = new Set(['50 MB', '50 MB in chunks', 'gzip bomb of 300 MB', 'line of 10 MB']);
const isTooMuch = (fault: string, { name: vendor }: Vendor, { name }: GatewayRequest) =>
  heavy.has(fault) && (!name.startsWith('chat') || (!isFullSize && vendor !== 'openai'));

/** Of OpenAI's other API, what the adapter has to tell by itself; sockets and statuses are those of any vendor. */
const isAboutAnswers = (fault: string) =>
  /^(400 |429$|500$|200 with|truncated|wrong|no |null|negative|hang within the stream|error event|malformed|close within the s|byte|comments|duplicate|unknown f|arguments)/.test(
    fault,
  );

/**
 * Sockets and statuses are read by one transport, regardless of the vendor: a second vendor is called in one way, a stream
 * unless the fault needs a document, and the third not at all. At full size, every vendor in every way.
 */
const isShared = (fault: string, { name: vendor }: Vendor, { name }: GatewayRequest) =>
  !isFullSize &&
  vendor !== 'openai' &&
  !isAboutAnswers(fault) &&
  (vendor === 'google' || name !== (documentsOnly.has(fault) ? 'chat' : 'chat-stream'));

/**
 * Which model answers instead is decided regardless of the vendor and of what is asked for: it is left to the gateway in
 * one way of asking and, of one vendor, in a stream. At full size, in every way.
 */
const waysOf = ({ name: vendor }: Vendor, requests: readonly GatewayRequest[]): Asking[] => {
  const stream = vendor === 'openai' ? requests.find(({ streams }) => streams) : undefined;
  return requests.flatMap((request, index): Asking[] => {
    const named = { request, choice: 'named' } as const;
    const isLeftToGateway = isFullSize || index === 0 || request === stream || request.embeds;
    return isLeftToGateway ? [named, { request, choice: 'auto' }] : [named];
  });
};

let elsewhere: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  elsewhere = await startUpstream({ dialect: 'openai' });
});
afterAll(() => elsewhere.stop());

const cases = [...vendors, openaiResponses].flatMap((vendor) =>
  tables.flatMap(([rows, isPlayed]) =>
    rows.flatMap((row) =>
      row.faults.flatMap((fault) => {
        if (vendor === openaiResponses && !isAboutAnswers(fault)) return [];
        const requests = gatewayRequests.filter(
          (request) =>
            isPlayed(request) &&
            !isTooMuch(fault, vendor, request) &&
            !isShared(fault, vendor, request) &&
            (vendor.embeds || request.name !== 'embeddings') &&
            !(request.streams && documentsOnly.has(fault)) &&
            !impossible.has(`${vendor.name} ${request.name} ${fault}`),
        );
        const ways = waysOf(vendor, requests);
        return ways.length > 0 ? [{ vendor, fault, row, ways, name: vendor.name }] : [];
      }),
    ),
  ),
);

/** As `outcome` of what was played. */
function expectedOutcome(row: FaultRow, { choice, request: { name } }: Asking): string {
  if (row.named === 'answer') return `200 ${choice}-${name}/${choice}-${name}-model`;
  if (row.within === 'stream') return choice === 'auto' ? '200, then backup/text' : `200, then error ${row.named}`;
  if (choice === 'auto' && row.auto === 'another model') {
    return `200 backup/${name === 'embeddings' ? 'vectors' : 'text'} after ${row.named}`;
  }
  const wait = row.retryAfter === undefined ? '' : `, Retry-After ${row.retryAfter}`;
  return `${errorCodes[row.named].status} ${row.named}${wait}`;
}

describe('a provider that fails', () => {
  const play = async ({ vendor, fault, row, ways }: (typeof cases)[number]): Promise<void> => {
    const found = faultNamed(fault, elsewhere.url);
    const isLasting = row.named === 'provider_timeout';
    const from = row.within === 'stream' ? 'after the first output' : 'from the start';
    const { played, log } = await playFault(vendor, found, ways, isLasting ? from : undefined);

    const nameOf = ({ choice, request }: Asking): string => `${choice} ${request.name}`;
    const expected = ways.map((way) => `${nameOf(way)}: ${expectedOutcome(row, way)}`);
    expect(played.map((each) => `${nameOf(each)}: ${each.outcome}`)).toEqual(expected);
    // For faults that last, it depends on the machine whether the request or the deadline comes first.
    const isCounted = found.reply !== undefined && !isLasting;
    const times = ways.map(({ choice }) => (choice === 'named' || row.repairs ? row.asked : 1));
    expect(isCounted ? played.map(({ asked }) => asked) : times).toEqual(times);
    for (const { text, headers } of played.map(({ answer }) => answer)) {
      expect(text + JSON.stringify([...headers])).not.toContain(vendorKey);
      expect(text).not.toMatch(wordsOfUpstreams);
    }
    expect(log).not.toContain(vendorKey);
    expect(elsewhere.connections, 'where redirects point').toBe(0);
  };

  it.concurrent.each(cases.filter(({ fault }) => !heavy.has(fault)))('$name: $fault', async (given) => {
    await expect(play(given)).resolves.toBeUndefined();
  });
  // Megabytes for many at once take longer than the first token of a model may where another one can answer.
  it.each(cases.filter(({ fault }) => heavy.has(fault)))('$name: $fault', async (given) => {
    await expect(play(given)).resolves.toBeUndefined();
  });

  it('every fault that an upstream can play is in the table', () => {
    const played = new Set(tables.flatMap(([rows]) => rows.flatMap(({ faults }) => faults)));
    const known = upstreamFaults(elsewhere.url).map(({ name }) => name);
    expect(known.filter((name) => !played.has(name))).toEqual([]);
  });
});
