import type { Explanation } from '../../api/operations.generated.ts';
import { linkTo } from '../../frame/router.ts';
import { Badge } from '../../parts/badge.tsx';
import { ModelState } from './model-state.tsx';

type Candidate = Explanation['data'][number];

/** The models that can be called, best first, and those that cannot, with the reason. */
export function CandidateList({ candidates }: { readonly candidates: readonly Candidate[] }) {
  const eligible = candidates.filter(({ refused }) => refused === undefined);
  const refused = candidates.filter((each) => each.refused !== undefined);
  const best = Math.max(...eligible.map(({ score = 0 }) => Math.abs(score)), Number.MIN_VALUE);
  return (
    <>
      <section aria-label="Candidates">
        <h2>Candidates, best first</h2>
        <ol class="candidates">
          {eligible.map((candidate) => (
            <CandidateItem key={candidate.id} candidate={candidate} best={best} />
          ))}
        </ol>
      </section>
      {refused.length > 0 && (
        <section aria-label="Left out">
          <h2>Left out</h2>
          <ul class="candidates">
            {refused.map(({ id, refused: why, state }) => (
              <li key={id}>
                <ModelName id={id} state={state} />
                <p class="quiet">{why}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function CandidateItem({ candidate, best }: { readonly candidate: Candidate; readonly best: number }) {
  const { id, score = 0, reason, propensity, learned, state } = candidate;
  return (
    <li>
      <ModelName id={id} state={state} />
      <div class="candidate-figures">
        <span class="quiet">Utility</span>
        <meter min={0} max={best} value={Math.abs(score)} aria-label={`Utility of ${id}`} />
        <span class="number">{score.toPrecision(3)}</span>
        {propensity !== undefined && (
          <>
            <span class="quiet">Called first</span>
            <meter min={0} max={1} value={propensity} aria-label={`Share of the calls for which ${id} is first`} />
            <span class="number">{(propensity * 100).toFixed(1)} %</span>
          </>
        )}
        {learned && (
          <>
            <span class="quiet">Learned quality</span>
            <Interval {...learned} />
            <span class="number">
              {learned.mean.toFixed(2)}
              <span class="quiet">
                , {learned.scores.toFixed(0)} {learned.scores.toFixed(0) === '1' ? 'score' : 'scores'}
              </span>
            </span>
          </>
        )}
      </div>
      {learned && <Badge>{learned.role}</Badge>} <span class="quiet">{reason}</span>
    </li>
  );
}

function ModelName({ id, state }: Pick<Candidate, 'id' | 'state'>) {
  return (
    <p>
      <a href={linkTo(['models', ...id.split('/')])}>{id}</a> <ModelState state={state} />
    </p>
  );
}

/** A mean with its 95 % confidence interval, on a scale from 0 to 1: an estimate may be beyond the scale. */
function Interval({ mean, low, high, scores }: NonNullable<Candidate['learned']>) {
  const label = `${mean.toFixed(2)}, with 95 % certainty from ${low.toFixed(2)} to ${high.toFixed(2)}, by ${scores.toFixed(0)} scores`;
  return (
    <svg class="interval" viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <rect class="interval-scale" x="0" y="5" width="100" height="2" />
      <rect class="interval-range" x={place(low)} y="3" width={Math.max(0.5, place(high) - place(low))} height="6" />
      <rect class="interval-mean" x={Math.min(99.2, Math.max(0, place(mean) - 0.4))} y="0" width="0.8" height="12" />
    </svg>
  );
}

const place = (share: number): number => Math.min(1, Math.max(0, share)) * 100;
