import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Page } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { AnswerView } from './answer-view.tsx';
import { askForFunction } from './ask-models.ts';
import { ModelPicker } from './model-picker.tsx';
import { useAnswers } from './use-answers.ts';
import { useModelIds } from './use-model-ids.ts';
import { usePrices } from './use-prices.ts';

const LISTED = 100;

/** A function, answered by up to four models from the same input. */
export function FunctionPlayground(props: { readonly head: ComponentChildren; readonly name: string }) {
  const { api, router } = useConsole();
  const models = useSignal<readonly string[]>(['']);
  const answers = useAnswers();
  const ids = useModelIds();
  const prices = usePrices([...models.value, ...answers.list.value.map(({ model = '' }) => model)]);
  const list = useLoad((signal) =>
    api.call('listFunctions', { signal, query: { limit: LISTED, sort: 'name', order: 'asc' } }),
  );
  const name = props.name === '' ? (list.data?.data[0]?.name ?? '') : props.name;
  const id = list.data?.data.find((each) => each.name === name)?.id;
  const chosen = useLoad(
    async (signal) => (id === undefined ? undefined : await api.call('getFunction', { path: { id }, signal })),
    [id],
  );
  const ask = async (input: Record<string, unknown>): Promise<void> => {
    await answers.ask(models.value.map((model) => (signal) => askForFunction(api, { name, model, input }, signal)));
  };
  const error = list.error ?? chosen.error;
  return (
    <Page title="Playground">
      {props.head}
      {error !== undefined && <ErrorView error={error} />}
      {list.data?.data.length === 0 && (
        <EmptyState title="There are no functions yet">
          <p>Save a chat as one, or write one.</p>
        </EmptyState>
      )}
      <ModelPicker
        models={models.value}
        ids={ids}
        standard="As the settings say"
        onModels={(changed) => {
          models.value = changed;
        }}
      />
      <div class="workbench">
        <section>
          <label class="field">
            <span>Function</span>
            <select value={name} onChange={(event) => router.filter({ name: event.currentTarget.value })}>
              {list.data?.data.map((each) => (
                <option key={each.id} value={each.name} selected={each.name === name}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
          {chosen.data && (
            <SchemaForm
              key={chosen.data.id}
              schema={chosen.data.input}
              submit="Ask"
              onSubmit={ask}
              onStop={answers.stop}
            />
          )}
        </section>
        <div class="columns">
          {answers.list.value.map((answer, at) => {
            const model = answer.model ?? models.value[at] ?? '';
            return (
              <article key={at}>
                <h2>{model === '' ? 'As the settings say' : model}</h2>
                <AnswerView answer={answer} schema={chosen.data?.output} pricing={prices.get(model)} />
              </article>
            );
          })}
        </div>
      </div>
    </Page>
  );
}
