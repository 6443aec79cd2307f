import { APIError } from '@patchbay/client';
import type { CheckContext } from '../eval-case.ts';
import { sha256 } from './evaluation.ts';
import { failureCode } from './failure-code.ts';
import type { CheckAnswer } from './journal.ts';
import type { RunState } from './run-state.ts';
import { isAnswerLost, keyRevoked, outOfBudget, type ServerCalls } from './server-calls.ts';

interface CheckCallDependencies {
  readonly calls: Pick<ServerCalls, 'post' | 'execute' | 'endOf' | 'costOf'>;
  readonly state: Pick<RunState, 'asked'>;
  readonly append: (line: CheckAnswer) => void;
}

/** Judges have the timeout of background executions. */
const isExecution = (path: string): boolean => /^\/functions\/[^/]+\/execute$/.test(path);

/** Requests of checks to the server: each is sent once per run, whether it is interrupted or not. */
export function createCheckCall(run: string, { calls, state, append }: CheckCallDependencies): CheckContext['call'] {
  const asked = new Map<string, Promise<unknown>>();

  const execute = async (request: string, path: string, body: object): Promise<unknown> => {
    for (;;) {
      const key = `eval-${run}-${request}-${state.asked(request).failures}`;
      const id = await calls.execute({ path, body }, key).catch((error: unknown) => {
        if (!isAnswerLost(error)) throw error;
        append({ type: 'asked', request, cost: null });
        return undefined;
      });
      if (id === undefined) continue;
      const { status, output, error } = await calls.endOf(id);
      const cost = await calls.costOf(id);
      if (status === 'completed') {
        append({ type: 'asked', request, cost, json: { output } });
        return { output };
      }
      append({ type: 'asked', request, cost });
      const { message } = error ?? {};
      const code = failureCode(error?.code ?? status);
      if (code !== keyRevoked) {
        throw new APIError(code === outOfBudget ? 429 : 422, {
          code,
          ...(message !== undefined && { detail: message }),
        });
      }
    }
  };

  const post = async (request: string, path: string, body: object): Promise<unknown> => {
    const { json, headers } = await calls.post({ path, body }, `eval-${run}-${request}`);
    const call = headers.get('patchbay-call');
    append({ type: 'asked', request, cost: call === null ? null : await calls.costOf(call), json });
    return json;
  };

  return async (path, body) => {
    const request = sha256(JSON.stringify([path, body]));
    const { json } = state.asked(request);
    if (json !== undefined) return json;
    const ask = isExecution(path) ? execute : post;
    const answer = asked.get(request) ?? ask(request, path, body).finally(() => asked.delete(request));
    asked.set(request, answer);
    return await answer;
  };
}
