/**
 * Memory of streams that are open and silent, beside the minimum that Node can put in between.
 *
 *     tsc -b && node --conditions=source bench/gateway-idle-streams.ts [streams] [rounds] [--record]
 *
 * A stream has two sockets of each process: with 10,000, `ulimit -n` must be at least 30,000.
 */
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { startChild } from './gateway-children.ts';
import { gatewayConfig } from './gateway-config.ts';
import { key, startPatchbay } from './server-child.ts';
import { bytesPerStream, startSilentUpstream } from './silent-streams.ts';

const scorecard = openScorecard('gateway-idle-streams');
const [streamsGiven = '2000', roundsGiven = '3'] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const [streams, rounds] = [Number(streamsGiven), Number(roundsGiven)];

const body = JSON.stringify({
  model: 'openai/gpt-4.1',
  messages: [{ role: 'user', content: 'Hello, who are you?' }],
  stream: true,
});
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

/** Each in a separate process: memory that another path has left would be used again. */
const starts = {
  passthrough: (url: string) => startChild('gateway-passthrough.ts', { args: [url, String(2 * streams)] }),
  '/chat': (url: string) => startPatchbay(gatewayConfig(url)),
  '/v1/chat/completions': (url: string) => startPatchbay(gatewayConfig(url)),
};

async function measure(name: keyof typeof starts): Promise<number> {
  const upstream = await startSilentUpstream();
  const child = await starts[name](upstream.url);
  const path = name === 'passthrough' ? '/v1/chat/completions' : name;
  const bytes = await bytesPerStream({ pid: child.pid, url: child.url + path, headers, body }, streams);
  upstream.stop();
  await child.stop();
  return bytes / 1_024;
}

const names = Object.keys(starts) as (keyof typeof starts)[];
const sizes = new Map<string, number[]>(names.map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) sizes.get(name)?.push(await measure(name));
}
const sizeOf = (name: string): number =>
  (sizes.get(name) ?? []).toSorted((one, other) => one - other)[rounds >> 1] ?? 0;
const times = (name: string): number => Math.round((sizeOf(name) / sizeOf('passthrough')) * 10) / 10;
for (const name of names) {
  console.log(
    `${name.padEnd(24)} ${sizeOf(name).toFixed(1).padStart(8)} KiB a stream, ${times(name)} times passthrough`,
  );
}
scorecard.record(
  names
    .filter((name) => name !== 'passthrough')
    .map((name) => ({
      what: `memory of a silent stream, of that of the passthrough: \`${name}\``,
      value: times(name),
      unit: 'times',
      target: { most: 2 },
      note: `${sizeOf(name).toFixed(0)} KiB, passthrough ${sizeOf('passthrough').toFixed(0)} KiB, ${streams} streams`,
    })),
);
