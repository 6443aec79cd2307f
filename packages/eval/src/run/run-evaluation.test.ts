import { APIError, type HttpReply, type HttpRequest } from '@patchbay/client';
import { describe, expect, it } from 'vitest';
import { outputCheck } from '../checks/output-check.ts';
import { vote } from '../eval-case.ts';
import type { Evaluation } from './evaluation.ts';
import type { JournalLine, RunHead } from './journal.ts';
import { runEvaluation } from './run-evaluation.ts';
import { RunState } from './run-state.ts';

const judging = outputCheck('judge', 'good', async (output, { call }) => {
  await call('/functions/judge/execute', { input: { output } });
  return vote(true);
});
const evaluation: Evaluation = {
  function: { id: 'f', name: 'F', version: 1 },
  variants: [{}],
  cases: [{ id: 'a', input: {}, checks: [judging] }],
};
const head: RunHead = {
  type: 'run',
  run: 'r',
  function: evaluation.function,
  variants: [{}],
  startedAt: '2026-01-01T00:00:00.000Z',
  source: 'tests',
  cases: '',
  caller: '',
};

const completed = { status: 'completed', output: {} };

/** A server whose executions end in the given ways, one after the other. `lost`: it does not say whether it began. */
async function runOn(ends: readonly (object | 'lost')[]) {
  const [keys, bodies] = [[] as unknown[], new Map<string, object>()];
  const given = ends.values();
  const answer = (json: unknown): HttpReply => ({ status: 200, headers: new Headers(), retries: 0, text: '', json });
  const request = async ({ method, path, idempotencyKey }: HttpRequest): Promise<HttpReply> => {
    if (method === 'POST') {
      keys.push(idempotencyKey);
      const end = given.next().value;
      if (end === undefined) throw new Error('nothing was to be sent');
      if (end === 'lost') throw new APIError(409, { code: 'idempotency_answer_lost' });
      const id = `execution_${keys.length}`;
      bodies.set(id, { id, functionVersion: 1, ...(end as object) });
      return answer({ id });
    }
    if (path.endsWith('/logs')) return answer(undefined);
    if (path.startsWith('/calls/')) return answer({ cost: { amount: '0.000000001', currency: 'USD' } });
    return answer(bodies.get(path.slice('/executions/'.length)));
  };
  const state = new RunState();
  const lines: JournalLine[] = [head];
  state.take(head);
  const journal = { append: (line: JournalLine) => void lines.push(line) };
  const signal = new AbortController().signal;
  const end = await runEvaluation(evaluation, {
    client: { request },
    journal,
    state: Object.assign(state, { head }),
    signal,
  });
  return { end, keys, state, types: lines.slice(1).map(({ type }) => type) };
}

describe('a run', () => {
  it('sends a cell and its checks once', async () => {
    const { end, keys, types, state } = await runOn([completed, completed]);
    expect([end, new Set(keys).size, state.spent]).toEqual(['done', 2, 2]);
    expect(types).toEqual(['started', 'accepted', 'asked', 'ended']);
  });

  it('sends by another key what did not run, or whose answer was lost', async () => {
    const revoked = { status: 'cancelled', error: { code: 'key_revoked' } };
    const { end, keys, types } = await runOn(['lost', revoked, completed, 'lost', revoked, completed]);
    expect([end, new Set(keys).size]).toEqual(['done', 6]);
    expect(types.filter((type) => type === 'refused')).toHaveLength(2);
    expect(types.filter((type) => type === 'ended')).toHaveLength(1);
  });

  it('runs a cell again that the end of a server interrupted, but not without end', async () => {
    const interrupted = { status: 'interrupted', error: { code: 'interrupted' } };
    const once = await runOn([interrupted, completed, completed]);
    expect([once.end, once.types.filter((type) => type === 'refused').length]).toEqual(['done', 1]);
    expect(once.state.of('0 a').result?.answer).toEqual({ output: {} });
    const always = await runOn([interrupted, interrupted, interrupted, interrupted]);
    expect(always.end).toBe('done');
    expect(always.state.of('0 a').result?.answer).toMatchObject({ error: { code: 'interrupted' } });
  });

  it('ends where the budget does not suffice for a cell or a check, and keeps what was paid', async () => {
    const refused = { status: 'failed', error: { code: 'quota_exceeded', message: 'too little' } };
    const cell = await runOn([refused]);
    expect([cell.end, cell.state.refusal]).toEqual(['out of budget', 'too little']);
    const check = await runOn([completed, refused]);
    expect([check.end, check.types]).toEqual(['out of budget', ['started', 'accepted', 'asked']]);
    expect(check.state.of('0 a').execution).toBe('execution_1');
  });
});
