import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { ChatOptionFields, noOptions } from './chat-options.tsx';
import { Composer } from './composer.tsx';
import { ModelPicker } from './model-picker.tsx';
import { SaveAsFunction } from './save-as-function.tsx';
import { isCalling } from './turn.ts';
import { TurnView } from './turn-view.tsx';
import { useConversation } from './use-conversation.ts';
import { useModelIds } from './use-model-ids.ts';
import { usePrices } from './use-prices.ts';

/** A conversation with up to four models. */
export function ChatPlayground({ head }: { readonly head: ComponentChildren }) {
  const { api } = useConsole();
  const models = useSignal<readonly string[]>(['']);
  const options = useSignal(noOptions);
  const ids = useModelIds();
  const { turns, isBusy, send, writeResult, stop, clear } = useConversation(models.value, options.value);
  const prices = usePrices([
    ...models.value,
    ...turns.flatMap(({ answers }) => answers.map(({ model = '' }) => model)),
  ]);
  const schema = schemaIn(options.value.schema);
  const last = turns.length - 1;
  const needsResults = !isBusy && (turns[last]?.answers ?? []).some(isCalling);
  return (
    <Page
      title="Playground"
      actions={
        <>
          {turns.length > 0 && (
            <button type="button" onClick={clear}>
              New conversation
            </button>
          )}
          {api.may('createFunction') && <SaveAsFunction options={options.value} model={models.value[0] ?? ''} />}
        </>
      }
    >
      {head}
      <ModelPicker
        models={models.value}
        ids={ids}
        standard="Chosen by the gateway"
        onModels={(chosen) => {
          models.value = chosen;
          clear();
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
          <TurnView
            key={at}
            {...{ turn, prices, schema }}
            models={models.value}
            onResult={at === last && !isBusy ? writeResult : undefined}
          />
        ))}
      </div>
      {needsResults && <p class="quiet">Write what the tools return, and send it: with a message, or without one.</p>}
      <Composer busy={isBusy} mayBeEmpty={needsResults} onSend={send} onStop={stop} />
    </Page>
  );
}

/** The schema that answers must fit, if it is valid. */
function schemaIn(text: string): Schema | undefined {
  try {
    const schema = JSON.parse(text) as unknown;
    return typeof schema === 'object' && schema !== null ? schema : undefined;
  } catch {
    return undefined;
  }
}
