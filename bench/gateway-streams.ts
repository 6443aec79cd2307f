/**
 * Long streams through the gateway, beside the same streams through the minimum that Node can put in between: pieces of
 * output per second, and CPU per piece. With a folder, another version of Patchbay is called alternately with this one; both
 * must be built.
 *
 *     tsc -b && node --conditions=source bench/gateway-streams.ts [seconds] [rounds] [folder] [--record]
 */
import { resolve } from 'node:path';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { startChild } from './gateway-children.ts';
import { chunkRate } from './gateway-chunks.ts';
import { gatewayConfig } from './gateway-config.ts';
import { cpuSeconds, key, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('gateway-streams');
const [secondsGiven = '3', roundsGiven = '5', folder] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const [seconds, rounds] = [Number(secondsGiven), Number(roundsGiven)];
const CONNECTIONS = 100;
const WORDS = 501;

const upstream = await startChild('gateway-upstream.ts');
const passthrough = await startChild('gateway-passthrough.ts', { args: [upstream.url] });
const config = gatewayConfig(upstream.url);
const patchbay = await startPatchbay(config);
const other =
  folder === undefined ? undefined : await startPatchbay(config, resolve(folder, 'packages/server/dist/main.js'));

const messages = [{ role: 'user', content: 'Hello, who are you?' }];
const model = 'openai/gpt-4.1';
interface Path {
  readonly path: string;
  readonly body: object;
  readonly mark: string;
  readonly pieces: number;
}
const paths = {
  chat: { path: '/chat', body: { model, messages, maxTokens: WORDS }, mark: 'event: delta', pieces: WORDS },
  // The first chunk has the role and an empty text.
  forwarded: {
    path: '/v1/chat/completions',
    body: { model, messages, max_tokens: WORDS },
    mark: '"content":"',
    pieces: WORDS + 1,
  },
  translated: {
    path: '/v1/messages',
    body: { model, messages, max_tokens: WORDS },
    mark: 'event: content_block_delta',
    pieces: WORDS,
  },
} as const satisfies Readonly<Record<string, Path>>;

type Target = Path & { readonly child: { readonly url: string; readonly pid: number } };
const pathNames = Object.keys(paths) as (keyof typeof paths)[];
const targets: Readonly<Record<string, Target>> = {
  passthrough: { ...paths.forwarded, child: passthrough },
  ...Object.fromEntries(pathNames.map((name) => [name, { ...paths[name], child: patchbay }])),
  ...(other && Object.fromEntries(pathNames.map((name) => [`${name}, other`, { ...paths[name], child: other }]))),
};
const names = Object.keys(targets);

interface Figures {
  readonly rate: number;
  readonly microseconds: number;
}

async function measure({ child, path, body, mark, pieces }: Target): Promise<Figures> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const target = { url: child.url + path, headers, body: JSON.stringify({ ...body, stream: true }), mark };
  const [cpu, start] = [cpuSeconds(child.pid), performance.now()];
  const rate = await chunkRate(target, { connections: CONNECTIONS, seconds, expected: pieces });
  const count = (rate * (performance.now() - start)) / 1_000;
  return { rate, microseconds: ((cpuSeconds(child.pid) - cpu) / count) * 1e6 };
}

const median = (values: readonly number[]): number => values.toSorted((one, two) => one - two)[values.length >> 1] ?? 0;

const results = new Map<string, Figures[]>(names.map((name) => [name, []]));
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const figures = await measure(targets[name] as Target);
    if (round > 0) results.get(name)?.push(figures);
  }
}
const of = (name: string, figure: keyof Figures): number =>
  median((results.get(name) ?? []).map((each) => each[figure]));
const share = (name: string): number => Math.round((of(name, 'rate') / of('passthrough', 'rate')) * 100);

const column = (text: string | number): string => String(text).padStart(12);
console.log(`${`${CONNECTIONS} streams`.padEnd(24)}${['pieces/s', 'of pass.', 'CPU us'].map(column).join('')}`);
for (const name of names) {
  const figures = [Math.round(of(name, 'rate')), `${share(name)} %`, of(name, 'microseconds').toFixed(2)];
  console.log(name.padEnd(24) + figures.map(column).join(''));
}
for (const name of other ? pathNames : []) {
  const [ours = [], theirs = []] = [results.get(name), results.get(`${name}, other`)];
  const ratios = ours.map(({ microseconds }, round) => microseconds / (theirs[round]?.microseconds ?? Number.NaN));
  console.log(`${name}: CPU ${ratios.map((each) => each.toFixed(2)).join(' ')} times that of the other version`);
}

const titles = { chat: '`/chat`', forwarded: 'forwarded', translated: 'translated' } as const;
scorecard.record(
  pathNames.map((name) => ({
    what: `streamed pieces per second of those of the passthrough: ${titles[name]}`,
    value: share(name),
    unit: '%',
    target: { least: 50 },
    note: `${of(name, 'microseconds').toFixed(1)} µs of CPU per piece, passthrough ${of('passthrough', 'microseconds').toFixed(1)} µs`,
  })),
);
for (const child of [...(other ? [other] : []), patchbay, passthrough, upstream]) await child.stop();
