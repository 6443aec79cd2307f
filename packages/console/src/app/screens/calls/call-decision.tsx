import type { CallRecord } from '../../api/operations.generated.ts';
import { linkTo } from '../../frame/router.ts';

type Decision = NonNullable<CallRecord['decision']>;

const reasons: Readonly<Record<Decision['by'], string>> = {
  caller: 'The caller named the model.',
  router: 'The router chose the model.',
  order: 'It is the first model of the config that fits.',
  affinity: 'It is the model of the conversation.',
};

/** Why the model was chosen, and which others could have been. */
export function CallDecision({ decision }: { readonly decision: Decision }) {
  const { by, alias, trial, candidates = [], reason } = decision;
  return (
    <section aria-label="Choice of the model">
      <h2>Choice of the model</h2>
      <p>
        {reasons[by]}
        {alias !== undefined && ` The name ${alias} stands for it.`}
        {trial && ' The call was a trial: nothing is learned from it.'} {reason}
      </p>
      {candidates.length > 0 && (
        <ol class="shares" aria-label="Probability of being the first">
          {candidates.map(({ model, propensity }) => (
            <li key={model}>
              <a href={linkTo(['models', ...model.split('/')])}>{model}</a>
              <meter min={0} max={1} value={propensity} aria-label={`Probability of ${model}`} />
              <span class="number">{(propensity * 100).toFixed(propensity < 0.1 ? 1 : 0)} %</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
