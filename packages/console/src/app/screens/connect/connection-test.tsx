import { useSignal } from '@preact/signals';
import type { ApiClient } from '../../api/api-client.ts';
import { useConsole } from '../../frame/console-context.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';

interface Answer {
  readonly from: string;
  readonly text: string;
  readonly durationMs: number;
}

const tests = {
  model: { needs: 'createChatCompletion', run: askModel },
  tools: { needs: 'listFunctions', run: listTools },
} as const;

/** Sends a request to the endpoint that the client uses, as the person who is signed in. */
export function ConnectionTest({ kind }: { readonly kind: keyof typeof tests }) {
  const { api } = useConsole();
  const busy = useSignal(false);
  const answer = useSignal<Answer | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const { needs, run } = tests[kind];
  if (!api.may(needs)) return null;
  const start = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    const begun = performance.now();
    try {
      const { from, text } = await run(api);
      answer.value = { from, text, durationMs: Math.round(performance.now() - begun) };
    } catch (failure) {
      answer.value = undefined;
      error.value = failure;
    } finally {
      busy.value = false;
    }
  };
  return (
    <section class="connection-test">
      <button type="button" class="primary" disabled={busy.value} onClick={() => void start()}>
        {busy.value ? 'Waiting …' : 'Send a test request'}
      </button>
      {error.value !== undefined && <ErrorView error={error.value} />}
      <div role="status">
        {answer.value && (
          <Facts
            facts={[
              ['Answered by', answer.value.from],
              ['Answer', answer.value.text],
              ['Time', `${answer.value.durationMs.toLocaleString()} ms`],
            ]}
          />
        )}
      </div>
    </section>
  );
}

type Reply = Omit<Answer, 'durationMs'>;

async function askModel(api: ApiClient): Promise<Reply> {
  const messages = [{ role: 'user', content: 'What is a patch bay? Answer in one sentence.' }] as const;
  const { model, choices } = await api.call('createChatCompletion', { body: { model: 'auto', messages } });
  return { from: model, text: choices[0]?.message.content ?? '' };
}

async function listTools(api: ApiClient): Promise<Reply> {
  const headers = { accept: 'application/json, text/event-stream' };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } as const;
  for await (const { data } of api.events('callMcp', { body, headers })) {
    const { result, error } = data as { result?: { tools: readonly { name: string }[] }; error?: { message: string } };
    if (error) throw new Error(error.message);
    const names = result?.tools.map(({ name }) => name) ?? [];
    return { from: 'POST /mcp', text: names.length === 0 ? 'There are no tools yet.' : names.join(', ') };
  }
  throw new Error('the server has sent no answer');
}
