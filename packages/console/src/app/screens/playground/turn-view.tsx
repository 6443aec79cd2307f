import type { Schema } from '../../api/operations.generated.ts';
import { AnswerView } from './answer-view.tsx';
import { isCalling, resultKey, shownText, type Turn } from './turn.ts';
import type { Prices } from './use-prices.ts';

interface TurnViewProps {
  readonly turn: Turn;
  /** Ids of the models that were asked; an empty one leaves the choice to the gateway. */
  readonly models: readonly string[];
  readonly prices: Prices;
  readonly schema: Schema | undefined;
  /** Receives the results of tools. Absent if the conversation has continued. */
  readonly onResult?: ((key: string, text: string) => void) | undefined;
}

/** A message, the answers side by side, and fields for the results of the tools that a model has called. */
export function TurnView({ turn, models, prices, schema, onResult }: TurnViewProps) {
  const { content, answers, results } = turn;
  return (
    <section class="turn">
      {content !== undefined && <p class="asked">{shownText(content)}</p>}
      <div class="columns">
        {answers.map((answer, column) => {
          const id = answer.model ?? models[column] ?? '';
          return (
            <article key={column}>
              <h2>{id === '' ? 'Chosen by the gateway' : id}</h2>
              {answer.askedCharacters === 0 && answer.status === 'done' ? (
                <p class="quiet">Not asked: it has called no tool.</p>
              ) : (
                <AnswerView answer={answer} schema={schema} pricing={prices.get(id)} />
              )}
              {isCalling(answer) &&
                answer.calls?.map((call) => (
                  <label key={call.id} class="field">
                    <span>Result of {call.name}</span>
                    <textarea
                      rows={2}
                      readOnly={!onResult}
                      value={results[resultKey(column, call)] ?? ''}
                      onInput={(event) => onResult?.(resultKey(column, call), event.currentTarget.value)}
                    />
                  </label>
                ))}
            </article>
          );
        })}
      </div>
    </section>
  );
}
