import { canary } from '@patchbay/canaries';
import anthropic from '@patchbay/provider-anthropic';
import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { adminKey } from '../driver/server-process.ts';
import { startGateway } from './start-gateway.ts';
import { type Talker, talkers } from './talkers.ts';

const names = ['one', 'two', 'three'] as const;
const failing = 'two';

type Name = (typeof names)[number];

export interface ConversationsReport {
  /** The deployments that answered the turns of each conversation. */
  readonly served: readonly (readonly Name[])[];
  /** Moves that a warning named, of each conversation. */
  readonly announced: readonly number[];
  /** Conversations of each deployment before the outage, and of the others after it. */
  readonly loads: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** Requests to a deployment with reasoning of another one. */
  readonly foreignReasoning: number;
  /** Requests to a deployment with its own. */
  readonly ownReasoning: number;
}

interface Conversation {
  readonly talk: ReturnType<Talker>;
  readonly served: Name[];
  /** Moves that a warning named. */
  moves: number;
}

/**
 * Hold conversations at the same time, through every endpoint in turn, with three equal deployments of one model that
 * reasons. One of them is down in the third quarter of the turns.
 */
export async function holdConversations(conversations: number, turns: number): Promise<ConversationsReport> {
  const healthy = (name: Name) => upstreamReplies.healthy({ reasoning: reasoningOf(name), text: `From ${name}.` });
  const upstreams = await Promise.all(
    names.map(async (name) => {
      const upstream = await startUpstream({ dialect: 'anthropic' });
      upstream.script(healthy(name));
      return { name, upstream };
    }),
  );
  const outage = upstreams.find(({ name }) => name === failing)?.upstream;
  const gateway = await startGateway({
    providers: Object.fromEntries(upstreams.map(({ name, upstream }) => [name, mountOf(upstream.baseUrl)])),
  });

  const [from, to] = [Math.floor(turns / 2), Math.floor((turns * 3) / 4)];
  const all = Array.from({ length: conversations }, (_, index): Conversation => {
    const talker = talkers[index % talkers.length] as Talker;
    return { talk: talker(gateway.url, adminKey, `Conversation ${index}`), served: [], moves: 0 };
  });
  const take = async (conversation: Conversation, turn: number): Promise<void> => {
    const { text, warnings } = await conversation.talk(`Turn ${turn}`);
    const name = names.find((each) => text === `From ${each}.`);
    if (!name) throw new Error(`no deployment answered: ${text}`);
    conversation.served.push(name);
    if (warnings.includes('the conversation moved from ')) conversation.moves += 1;
  };
  const loadOf = (name: Name, turn: number) => all.filter(({ served }) => served[turn] === name).length;
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      if (turn === from) outage?.script(upstreamReplies.status(503));
      if (turn === to) outage?.script(healthy(failing));
      await Promise.all(all.map((conversation) => take(conversation, turn)));
    }
    const bodies = upstreams.flatMap(({ name, upstream }) => upstream.requests.map(({ body }) => ({ name, body })));
    const holds = (body: string, name: Name) => Object.values(reasoningOf(name)).some((each) => body.includes(each));
    return {
      served: all.map(({ served }) => served),
      announced: all.map(({ moves }) => moves),
      loads: {
        before: names.map((name) => loadOf(name, from - 1)),
        after: names.filter((name) => name !== failing).map((name) => loadOf(name, turns - 1)),
      },
      foreignReasoning: bodies.filter(({ name, body }) => names.some((other) => other !== name && holds(body, other)))
        .length,
      ownReasoning: bodies.filter(({ name, body }) => holds(body, name)).length,
    };
  } finally {
    await gateway.stop();
    await Promise.all(upstreams.map(({ upstream }) => upstream.stop()));
  }
}

/** The load of the busiest deployment, relative to an even load. */
export function imbalance(loads: readonly number[]): number {
  const sum = loads.reduce((total, load) => total + load, 0);
  return Math.max(...loads) / (sum / loads.length);
}

/** How often a conversation was answered by another deployment than before. */
export function movesOf(served: readonly string[]): number {
  return served.filter((name, turn) => turn > 0 && name !== served[turn - 1]).length;
}

const reasoningOf = (name: Name) => ({ text: `I am ${name}.`, signature: `cHJvb2Y${name}` });

function mountOf(baseUrl: string) {
  const pricing = { input: 3, output: 15, cacheRead: 0.3 };
  const model = { name: 'large', vendor: 'anthropic', capabilities: ['chat', 'reasoning'], quality: 1, pricing };
  return { use: anthropic, with: { apiKey: canary('key-of-a-vendor'), baseUrl, models: [model] } };
}
