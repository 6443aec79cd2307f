import { type Answer, adminKey, ask } from '../driver/server-process.ts';
import { persistent } from '../replicas/faults/persistent-ask.ts';
import type { Member } from '../replicas/member.ts';

/** A call of the function, by the version of the settings that answered it. */
export interface Answered {
  readonly target: string;
  readonly version: number;
}

export interface ExperimentState {
  readonly id: string;
  readonly status: string;
  readonly winner: number | null;
  readonly variants: readonly { readonly version: number; readonly scores: number; readonly mean: number | null }[];
}

/** A function whose answer tells the version of its settings, and an experiment between the two. */
export interface Experimented {
  readonly functionPath: string;
  readonly path: string;
  call(member: Member, subject: string): Promise<Answered>;
  /** So many executions, shared out among all servers. A server that is killed forgets none, unlike its last calls. */
  executions(count: number): Promise<readonly Answered[]>;
  /** Sent until a server answers. */
  score(member: Member, answered: Answered, value: number, key?: string): Promise<Answer>;
  read(): Promise<ExperimentState>;
  /** Where calls go by now. */
  current(): Promise<number>;
}

const words = ['one', 'two', 'three'];
const settingsOf = (version: number) => ({ model: 'demo/extractive', prompt: String(words[version - 1]) });

/** Ask whichever process the member has by now. */
export const asking = (member: Member) =>
  persistent(
    {
      get url() {
        return member.process.url;
      },
    },
    () => undefined,
  );

let made = 0;

export async function startExperiment(members: readonly Member[], options: object = {}): Promise<Experimented> {
  const [first] = members as readonly [Member];
  made += 1;
  const name = `Experiment ${made}`;
  const { body } = await asking(first)('POST', '/functions', {
    name,
    input: { type: 'object' },
    output: { type: 'object', properties: { word: { enum: words } }, required: ['word'] },
    settings: settingsOf(1),
  });
  const functionPath = `/functions/${String(body['id'])}`;
  const path = `${functionPath}/experiment`;
  await asking(first)('PUT', `${functionPath}/settings?label=candidate`, settingsOf(2));
  const started = await asking(first)('PUT', path, { variants: [1, 2], ...options });
  if (started.status !== 200) throw new Error(JSON.stringify(started.body));

  const send = async (member: Member, to: string, fields: object): Promise<Answered> => {
    const { body: answer } = await asking(member)('POST', to, { input: {}, ...fields });
    const { word } = (answer['output'] ?? {}) as { readonly word?: string };
    if (word === undefined) throw new Error(JSON.stringify(answer));
    return { target: String(answer['id']), version: words.indexOf(word) + 1 };
  };
  const execute = (index: number) => send(members[index % members.length] as Member, `${functionPath}/execute`, {});

  return {
    functionPath,
    path,
    call: (member, subject) => send(member, `/call/${encodeURIComponent(name)}`, { metadata: { subject } }),
    executions: (count) => Promise.all(Array.from({ length: count }, (_, index) => execute(index))),
    score: (member, { target }, value, key = adminKey) =>
      asking(member)('POST', '/feedback', { target, value }, { authorization: `Bearer ${key}` }),
    read: async () => (await asking(first)('GET', path)).body as unknown as ExperimentState,
    current: async () => Number((await ask(first.process, 'GET', `${functionPath}/settings`)).body['version']),
  };
}

/** Changes the settings that all calls have. */
export const editSettings = (member: Member, { functionPath }: Experimented) =>
  asking(member)('PUT', `${functionPath}/settings`, settingsOf(3));
