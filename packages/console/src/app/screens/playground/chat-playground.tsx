import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ContentPart, Message } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import type { Answer } from './answer.ts';
import { AnswerView } from './answer-view.tsx';
import { askInChat } from './ask-models.ts';
import { bodyOf, ChatOptionFields, noOptions } from './chat-options.tsx';
import { Composer } from './composer.tsx';
import { ModelPicker } from './model-picker.tsx';
import { SaveAsFunction } from './save-as-function.tsx';
import { useAnswers } from './use-answers.ts';

interface Turn {
  readonly content: string | ContentPart[];
  /** One of each model. */
  readonly answers: readonly Answer[];
}

/** A conversation with up to four models: each goes on with its own answers. */
export function ChatPlayground({ head }: { readonly head: ComponentChildren }) {
  const { api, notices } = useConsole();
  const models = useSignal<readonly string[]>(['']);
  const options = useSignal(noOptions);
  const past = useSignal<readonly Turn[]>([]);
  const question = useSignal<Turn['content'] | undefined>(undefined);
  const answers = useAnswers();
  const send = async (content: Turn['content']): Promise<void> => {
    try {
      const body = bodyOf(options.value);
      const { system } = options.value;
      const before: readonly Message[] = system === '' ? [] : [{ role: 'system', content: system }];
      question.value = content;
      const ended = await answers.ask(
        models.value.map((model, at) => (signal) => {
          const messages = [
            ...before,
            ...past.value.flatMap((turn) => messagesOf(turn, at)),
            { role: 'user', content } as const,
          ];
          return askInChat(api, { ...body, messages, ...(model !== '' && { model }) }, signal);
        }),
      );
      past.value = [...past.value, { content, answers: ended }];
      question.value = undefined;
    } catch (error) {
      notices.show(String(error), 'failed');
    }
  };
  const clear = (): void => {
    answers.stop();
    past.value = [];
  };
  const busy = question.value !== undefined;
  const turns =
    question.value === undefined
      ? past.value
      : [...past.value, { content: question.value, answers: answers.list.value }];
  return (
    <Page
      title="Playground"
      actions={
        <>
          {turns.length > 0 && (
            <button type="button" onClick={clear}>
              Begin anew
            </button>
          )}
          {api.may('createFunction') && <SaveAsFunction options={options.value} model={models.value[0] ?? ''} />}
        </>
      }
    >
      {head}
      <ModelPicker
        models={models.value}
        standard="Chosen by the gateway"
        onModels={(chosen) => {
          models.value = chosen;
          past.value = [];
        }}
      />
      <ChatOptionFields
        options={options.value}
        onOptions={(changed) => {
          options.value = changed;
        }}
      />
      <div class="turns" role="log" aria-label="Conversation">
        {turns.length === 0 && (
          <EmptyState title="Ask up to four models at once">
            <p>Each answer shows its latency, tokens and cost, and leads to its trace.</p>
          </EmptyState>
        )}
        {turns.map((turn, at) => (
          <section key={at} class="turn">
            <p class="asked">{shownText(turn.content)}</p>
            <div class="columns">
              {turn.answers.map((answer, column) => (
                <article key={column}>
                  <h2>{answer.model ?? (models.value[column] || 'auto')}</h2>
                  <AnswerView answer={answer} isJson={options.value.schema !== ''} />
                </article>
              ))}
            </div>
          </section>
        ))}
      </div>
      <Composer busy={busy} onSend={(content) => void send(content)} onStop={answers.stop} />
    </Page>
  );
}

/** A turn as the model of a column is told of it. One that it did not answer is left out. */
function messagesOf({ content, answers }: Turn, at: number): readonly Message[] {
  const message = answers[at]?.message;
  if (!message) return [];
  const { role, content: text, parts } = message;
  return [{ role: 'user', content }, parts ? { role, content: text, parts } : { role, content: text }];
}

function shownText(content: Turn['content']): string {
  if (typeof content === 'string') return content;
  return content.map(({ text, name, type }) => text ?? `[${name ?? type}]`).join('\n');
}
