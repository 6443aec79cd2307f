/**
 * The CPU of the server for a call by name among twenty models with scores: with the router that learns, with that of the
 * weighted router, alternately in one run. Once while a third of the calls tries all other models, and once after that. Two
 * processes of the same program differ by several percent, so each start is one measurement.
 *
 *     pnpm build && node --conditions=source bench/learned-call.ts [calls] [starts] [--record]
 */
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { key, startPatchbay, threadSeconds } from './server-child.ts';

const scorecard = openScorecard('learned-call');
const calls = Number(process.argv[2] ?? 6_000);
const starts = Number(process.argv[3] ?? 5);
/** Calls of one server before the other one's turn: one that idles for seconds drops compiled code, and compiles again when measured. */
const TURN = 200;
/**
 * V8 compiles during the first 20,000 calls of a process, and again when the router takes other paths. During them and the
 * calls that are measured, each model on trial gets less than two thirds of the responses that would end its trial.
 */
const WARM_UP = 20_000;
/** `scored`: how many calls have a score by then. Of the 4,000, each model gets more than the 30 that end its trial. */
const phases = [
  { name: 'while models are on trial', scored: 100 },
  { name: 'after the trials', scored: 4_000 },
] as const;
const upstream = await startUpstream({ dialect: 'openai' });
upstream.script(upstreamReplies.healthy({ text: '{"label":"spam"}' }));
const models = Array.from({ length: 20 }, (_, index) => ({
  name: `model-${index}`,
  vendor: 'acme',
  quality: 0.5 + index / 50,
  capabilities: ['chat', 'structured-output'],
  pricing: { input: 1 + index, output: 4 + index },
}));
const provider = { use: '@patchbay/provider-openai', with: { apiKey: 'sk-bench', baseUrl: upstream.baseUrl, models } };
const configOf = (router: string): string =>
  JSON.stringify({
    patchbay: 1,
    storage: { use: '@patchbay/store-sqlite', with: { file: './patchbay.db' } },
    authenticators: { keys: { use: '@patchbay/auth-api-key' } },
    providers: { acme: provider },
    router: { use: router },
    secretFile: './secret',
    limits: { off: true },
  });
const routers = ['@patchbay/router-weighted', '@patchbay/router-learned'];
type Server = Awaited<ReturnType<typeof startPatchbay>>;

async function post({ url }: Server, path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
}

const output = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] };

async function call(server: Server): Promise<string> {
  const text = await post(server, '/call/classify', { input: { text: 'Buy now!' }, output });
  if (!text.includes('"label":"spam"')) throw new Error(text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

interface Measured {
  readonly server: Server;
  /** Milliseconds of CPU so far in this phase. */
  ms: number;
}

/** Milliseconds of CPU per call in each phase, of the weighted and of the learned router. */
async function measure(): Promise<readonly (readonly [weighted: number, learned: number])[]> {
  const servers = await Promise.all(
    routers.map(async (router): Promise<Measured> => ({ ms: 0, server: await startPatchbay(configOf(router)) })),
  );
  const results: [number, number][] = [];
  let scored = 0;
  const score = async (server: Server) => await post(server, '/feedback', { target: await call(server), value: 1 });
  for (const phase of phases) {
    await inTurns(servers, phase.scored - scored, score);
    scored = phase.scored;
    await inTurns(servers, WARM_UP, call);
    for (const each of servers) each.ms = 0;
    await inTurns(servers, calls, call);
    const [weighted = 0, learned = 0] = servers.map(({ ms }) => ms / calls);
    results.push([weighted, learned]);
  }
  for (const { server } of servers) await server.stop();
  return results;
}

/** Repeat something with each server, and add up their CPU. */
async function inTurns(servers: readonly Measured[], count: number, once: (server: Server) => Promise<unknown>) {
  for (let done = 0; done < count; done += TURN) {
    for (const each of (done / TURN) % 2 === 0 ? servers : servers.toReversed()) {
      const before = threadSeconds(each.server.pid);
      for (let index = done; index < Math.min(count, done + TURN); index += 1) await once(each.server);
      each.ms += (threadSeconds(each.server.pid) - before) * 1_000;
    }
  }
}

const ratios = phases.map((): number[] => []);
for (let start = 1; start <= starts; start += 1) {
  for (const [index, [weighted, learned]] of (await measure()).entries()) {
    ratios[index]?.push(learned / weighted);
    const ratio = `weighted ${weighted.toFixed(3)} ms, learned ${learned.toFixed(3)} ms: ${(learned / weighted).toFixed(3)} times`;
    console.log(`${phases[index]?.name}: ${ratio}`);
  }
}
await upstream.stop();
const figures = phases.map(({ name }, index) => {
  const sorted = (ratios[index] ?? []).toSorted((one, other) => one - other);
  const median = sorted[Math.floor(starts / 2)] ?? 0;
  const range = `${(sorted[0] ?? 0).toFixed(3)} to ${(sorted.at(-1) ?? 0).toFixed(3)} in ${starts} starts`;
  console.log(`${name}: ${median.toFixed(3)} times, ${range}`);
  return {
    what: `CPU of a call by name with the router that learns, ${name}`,
    value: median,
    unit: 'times that with the weighted router',
    target: { most: 1.05 },
    note: range,
  };
});
scorecard.record(figures);
