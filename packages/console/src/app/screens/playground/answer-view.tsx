import type { ComponentChildren } from 'preact';
import type { Model, Schema } from '../../api/operations.generated.ts';
import { linkTo } from '../../frame/router.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { CallOutcome } from '../calls/call-outcome.tsx';
import type { Answer } from './answer.ts';
import { estimateOf } from './estimate.ts';
import { Validity } from './validity.tsx';

interface AnswerViewProps {
  readonly answer: Answer;
  /** What the answer must fit. */
  readonly schema?: Schema | undefined;
  /** Of the model, if known. */
  readonly pricing?: Model['pricing'];
}

/** An answer, and how long it took, what it cost and whether it is valid: all of this while it is being written, too. */
export function AnswerView({ answer, schema, pricing }: AnswerViewProps) {
  const { status, text, error, record, calls = [] } = answer;
  const hasBegun = text !== '' || calls.length > 0;
  return (
    <div class="answer" aria-busy={status === 'waiting' || status === 'writing'}>
      {text !== '' && <pre>{text}</pre>}
      {calls.map(({ id, name, arguments: given }) => (
        <p key={id} class="tool-call">
          Calls <code>{`${name}(${given})`}</code>
        </p>
      ))}
      {error !== undefined && <ErrorView error={error} />}
      {status === 'waiting' && <p class="quiet">Waiting …</p>}
      <dl class="measures">
        {record && <Measure name="Outcome" value={<CallOutcome outcome={record.outcome} />} />}
        {schema && text !== '' && <Measure name="Output" value={<Validity {...{ answer, schema }} />} />}
        {answer.firstMs !== undefined && <Measure name="First output" value={durationText(answer.firstMs)} />}
        {answer.totalMs !== undefined && <Measure name="Total" value={durationText(answer.totalMs)} />}
        {hasBegun && <Spent {...{ answer, pricing }} />}
      </dl>
      {record && <a href={linkTo(['calls', record.id])}>Trace</a>}
    </div>
  );
}

/** Tokens and cost: those of the server as soon as it has them, and estimates before. */
function Spent({ answer, pricing }: Pick<AnswerViewProps, 'answer' | 'pricing'>) {
  const { text, calls = [], askedCharacters, tokens, record } = answer;
  const written = text + calls.map(({ name, arguments: given }) => name + given).join('');
  const estimate = estimateOf(askedCharacters, written, pricing);
  return (
    <>
      <Measure name="Tokens" value={tokens?.toLocaleString() ?? <Estimate text={estimate.tokens.toLocaleString()} />} />
      {record?.cost && <Measure name="Cost" value={costText(record.cost)} />}
      {!record && estimate.cost && <Measure name="Cost" value={<Estimate text={costText(estimate.cost)} />} />}
    </>
  );
}

function Estimate({ text }: { readonly text: string }) {
  return <span title="Estimated from the length of the text and the price of the model">about {text}</span>;
}

function Measure({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
