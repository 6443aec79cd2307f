import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { functionOfName } from '../../parts/find-functions.ts';
import { Page } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { AnswerView } from './answer-view.tsx';
import { askForFunction } from './ask-models.ts';
import { FunctionPicker } from './function-picker.tsx';
import { ModelPicker } from './model-picker.tsx';
import { useAnswers } from './use-answers.ts';
import { useModelIds } from './use-model-ids.ts';
import { usePrices } from './use-prices.ts';

/** A function, answered by up to four models from the same input. */
export function FunctionPlayground(props: { readonly head: ComponentChildren; readonly name: string }) {
  const { api, router } = useConsole();
  const models = useSignal<readonly string[]>(['']);
  const answers = useAnswers();
  const ids = useModelIds();
  const prices = usePrices([...models.value, ...answers.list.value.map(({ model = '' }) => model)]);
  const chosen = useLoad(
    async (signal) => {
      const found = await functionOfName(api, props.name, signal);
      return found ? await api.call('getFunction', { path: { id: found.id }, signal }) : null;
    },
    [props.name],
  );
  const name = chosen.data?.name ?? props.name;
  const ask = async (input: Record<string, unknown>): Promise<void> => {
    await answers.ask(models.value.map((model) => (signal) => askForFunction(api, { name, model, input }, signal)));
  };
  return (
    <Page title="Playground">
      {props.head}
      {chosen.error !== undefined && <ErrorView error={chosen.error} />}
      {chosen.data === null && (
        <EmptyState title={props.name === '' ? 'There are no functions yet' : 'No function has this name'}>
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
          <FunctionPicker name={name} onName={(chose) => router.filter({ name: chose })} />
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
