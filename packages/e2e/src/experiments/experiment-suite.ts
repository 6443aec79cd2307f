import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask } from '../driver/server-process.ts';
import type { Member } from '../replicas/member.ts';
import { type Answered, asking, type Experimented, editSettings, startExperiment } from './experiment-on-servers.ts';

interface EndedEvent {
  readonly id: string;
  readonly data: { readonly experimentId: string; readonly status: string };
}

const restart = async (member: Member) => {
  await member.end('SIGKILL');
  await member.restart();
};

/** Tests of experiments on any number of servers, of which one is killed again and again. */
export function experimentSuite(members: readonly Member[]): void {
  const some = (index: number) => members[index % members.length] as Member;
  const admin = (method: string, path: string, body?: unknown) => asking(some(0))(method, path, body);
  const events: EndedEvent[] = [];
  const receiver = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      events.push(JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as EndedEvent);
      response.writeHead(204).end();
    });
  });

  beforeAll(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    expect((await admin('POST', '/webhooks', { url, events: ['experiment.ended'] })).status).toBe(201);
  });
  afterAll(() => receiver.close());

  /** The audit log and the webhook tell of one end, and of the same. */
  const expectOneEnd = async (experiment: Experimented) => {
    const { id, status } = await experiment.read();
    const audited = async (action: string) => {
      const { data } = (await admin('GET', `/audit?action=${action}&limit=100`)).body as {
        readonly data: readonly { readonly details: { readonly experimentId: string; readonly status?: string } }[];
      };
      return data.filter(({ details }) => details.experimentId === id);
    };
    const ends = await audited('experiment.ended');
    expect(ends).toHaveLength(1);
    expect(await audited('experiment.rolled_back')).toHaveLength(status === 'rolled_back' ? 1 : 0);
    const end = ends[0]?.details.status;
    expect(end).toBe(status === 'rolled_back' ? 'won' : status);
    const told = () => events.filter(({ data }) => data.experimentId === id);
    await vi.waitUntil(() => told().length > 0, { timeout: 60_000, interval: 100 });
    // A delivery whose acknowledgement was lost comes again, under the same id.
    expect(new Set(told().map((event) => event.id)).size).toBe(1);
    expect(told()[0]).toMatchObject({ data: { status: end } });
  };

  /** Scores that say that version 2 is better, from all servers at once. */
  const praise = (experiment: Experimented, answered: readonly Answered[]) =>
    Promise.all(answered.map((each, index) => experiment.score(some(index), each, each.version === 2 ? 1 : 0)));

  describe('an experiment', () => {
    it('keeps a subject on its version and counts each score once, though a server is killed and each is sent twice', async () => {
      const experiment = await startExperiment(members, { allocation: 'fixed' });
      const seen = new Map<string, Set<number>>();
      const askAll = async () => {
        for (const member of members) {
          const subjects = Array.from({ length: 16 }, (_, index) => `user ${index}`);
          const answers = await Promise.all(subjects.map((subject) => experiment.call(member, subject)));
          for (const [index, subject] of subjects.entries()) {
            seen.set(subject, (seen.get(subject) ?? new Set()).add(answers[index]?.version ?? 0));
          }
        }
      };
      await askAll();
      const answered = await experiment.executions(40);
      const scoreOf = ({ version }: Answered) => version / 4;
      const twice = answered.flatMap((each, index) =>
        [index, index + 1].map((server) => experiment.score(some(server), each, scoreOf(each))),
      );
      await Promise.race(twice);
      await restart(some(0));
      expect(new Set((await Promise.all(twice)).map(({ status }) => status))).toEqual(new Set([201]));
      const countOf = (version: number) => answered.filter((each) => each.version === version).length;
      expect((await experiment.read()).variants).toMatchObject([
        { version: 1, scores: countOf(1), mean: 0.25 },
        { version: 2, scores: countOf(2), mean: 0.5 },
      ]);

      await askAll();
      expect([...seen.values()].map(({ size }) => size)).toEqual(Array.from({ length: 16 }, () => 1));
      expect(new Set([...seen.values()].flatMap((versions) => [...versions]))).toEqual(new Set([1, 2]));
    });

    it('has its winner take the label over once, though a server is killed meanwhile', async () => {
      const experiment = await startExperiment(members, { minPerVariant: 5 });
      let killed: Promise<void> | undefined;
      while ((await experiment.read()).status === 'running') {
        const scored = praise(experiment, await experiment.executions(12));
        killed ??= restart(some(0));
        await scored;
      }
      await killed;
      expect(await experiment.read()).toMatchObject({ status: 'won', winner: 2 });
      const after = await experiment.executions(members.length * 2);
      expect(new Set(after.map(({ version }) => version))).toEqual(new Set([2]));
      await praise(experiment, after);
      await expectOneEnd(experiment);
      expect((await admin('POST', `${experiment.path}/rollback`)).body).toMatchObject({ status: 'rolled_back' });
      expect(await experiment.current()).toBe(1);
      await expectOneEnd(experiment);
    });

    it('ends once when it wins, is stopped and is rolled back at the same time', async () => {
      const experiment = await startExperiment(members, { minPerVariant: 2 });
      const answered = await experiment.executions(40);
      const scored = praise(experiment, answered);
      const everywhere = (method: string, path: string) =>
        Promise.all(members.map(async (member) => (await asking(member)(method, path)).status));
      await praise(experiment, answered.slice(0, 10));
      const [stopped, rolledBack] = await Promise.all([
        everywhere('DELETE', experiment.path),
        everywhere('POST', `${experiment.path}/rollback`),
      ]);
      await scored;
      const { status } = await experiment.read();
      expect(stopped.filter((each) => each === 200)).toHaveLength(status === 'stopped' ? 1 : 0);
      expect(rolledBack.filter((each) => each === 200)).toHaveLength(status === 'rolled_back' ? 1 : 0);
      expect(await experiment.current()).toBe(status === 'won' ? 2 : 1);
      await expectOneEnd(experiment);
    });

    it('ends when its settings are edited while scores arrive, and counts no more', async () => {
      const experiment = await startExperiment(members, { allocation: 'fixed' });
      const answered = await experiment.executions(20);
      const scored = praise(experiment, answered.slice(0, 16));
      expect((await editSettings(some(1), experiment)).status).toBe(200);
      const ended = await experiment.read();
      expect(ended).toMatchObject({ status: 'superseded', winner: null });
      const isTold = () => events.some(({ data }) => data.experimentId === ended.id && data.status === 'superseded');
      await vi.waitUntil(isTold, { timeout: 60_000, interval: 100 });
      await scored;
      await praise(experiment, answered.slice(16));
      expect((await experiment.read()).variants).toEqual(ended.variants);
      expect(new Set((await experiment.executions(4)).map(({ version }) => version))).toEqual(new Set([3]));
      // Calls need settings: no version goes without its function.
      expect((await admin('DELETE', `${experiment.functionPath}/settings`)).status).toBe(409);
      expect((await admin('DELETE', experiment.functionPath)).status).toBe(200);
      expect((await admin('GET', experiment.path)).status).toBe(404);
    });

    it('goes on after the key that started it was revoked, without the scores of that key', async () => {
      const scopes = ['functions:execute', 'feedback:write', 'settings:write'];
      const { key, id } = (await admin('POST', '/keys', { name: 'Short', scopes })).body;
      const experiment = await startExperiment(members, { allocation: 'fixed' });
      const [first, second] = (await experiment.executions(2)) as readonly [Answered, Answered];
      const authorization = { authorization: `Bearer ${String(key)}` };
      const again = await ask(some(0).process, 'PUT', experiment.path, { variants: [2, 1] }, authorization);
      expect(again.body).toMatchObject({ status: 'running', createdBy: id });
      const mine = await experiment.call(some(1), 'user 1');
      expect((await experiment.score(some(1), mine, 1, String(key))).status).toBe(201);
      expect((await admin('DELETE', `/keys/${String(id)}`)).status).toBeLessThan(300);
      const refused = async () => (await experiment.score(some(1), second, 1, String(key))).status === 401;
      await vi.waitUntil(refused, { timeout: 60_000, interval: 250 });
      await praise(experiment, await experiment.executions(6));
      // From before this experiment.
      await praise(experiment, [first]);
      const { status, variants } = await experiment.read();
      expect([status, variants.reduce((sum, { scores }) => sum + scores, 0)]).toEqual(['running', 7]);
    });
  });
}
