import { useSignal } from '@preact/signals';
import type { Experiment } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import type { ViewProps } from './view-props.ts';

/** Experiments between versions of the settings, the latest first. */
export function ExperimentsView({ page, head, id }: ViewProps & { readonly id: string }) {
  const { api } = useConsole();
  const round = useSignal(0);
  const path = { id };
  const { data, error, reload } = useLoad(
    (signal) => api.call('listExperiments', { path, signal, query: { limit: 20 } }),
    [id, round.value],
  );
  const start = async ({ variants = '', allocation }: Readonly<Record<string, string>>): Promise<void> => {
    const versions = variants
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
    await api.call('startExperiment', {
      path,
      body: { variants: versions, allocation: allocation === 'fixed' ? 'fixed' : 'adaptive' },
    });
    round.value += 1;
  };
  return (
    <Page
      {...page}
      actions={
        api.may('startExperiment') && (
          <ActionButton title="Start an experiment" done="The experiment runs." run={start}>
            <TextField name="variants" label="Versions of the settings" placeholder="1, 2" required />
            <SelectField
              name="allocation"
              label="Calls go to"
              options={[
                { value: 'adaptive', title: 'the versions that may be the best, until one has won' },
                { value: 'fixed', title: 'each version alike, until it is stopped' },
              ]}
            />
          </ActionButton>
        )
      }
    >
      {head}
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data?.data.length === 0 && (
        <EmptyState title="There was no experiment yet">
          <p>Save settings under another label first, and compare the two versions here.</p>
        </EmptyState>
      )}
      {data?.data.map((experiment, index) => (
        <ExperimentCard key={experiment.id} experiment={experiment} isLatest={index === 0} reload={reload} />
      ))}
    </Page>
  );
}

interface CardProps {
  readonly experiment: Experiment;
  readonly isLatest: boolean;
  readonly reload: () => void;
}

function ExperimentCard({ experiment, isLatest, reload }: CardProps) {
  const { api } = useConsole();
  const { functionId: id, status, variants, leader, winner, progress, metric, label, createdAt } = experiment;
  const act = (name: 'stopExperiment' | 'rollBackExperiment') => async (): Promise<void> => {
    await api.call(name, { path: { id } });
    reload();
  };
  return (
    <section class="card">
      <header>
        <h2>
          Experiment with “{label}”, by {metric} <Badge kind={status === 'running' ? 'good' : 'plain'}>{status}</Badge>
        </h2>
        <span class="quiet">
          since <Time at={createdAt} />
        </span>
      </header>
      <dl class="bars">
        {variants.map(({ version, scores, mean, share }) => (
          <div key={version}>
            <dt>
              Version {version}{' '}
              {version === (winner ?? leader) && <Badge kind="good">{winner ? 'won' : 'leads'}</Badge>}
            </dt>
            <dd>
              <progress max={1} value={mean ?? 0} aria-label={`Mean of version ${version}`} />
              <span>
                {mean === null
                  ? 'no scores'
                  : `${mean.toFixed(3)} in ${scores.toLocaleString()} ${scores === 1 ? 'score' : 'scores'}`}
                , {Math.round(share * 100)} % of calls
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Evidence for the leader: {Math.round(progress * 100)} %.</p>
      <div class="actions">
        {status === 'running' && api.may('stopExperiment') && (
          <ActionButton title="Stop" done="The experiment is stopped." run={act('stopExperiment')} />
        )}
        {isLatest && status === 'won' && api.may('rollBackExperiment') && (
          <ActionButton title="Roll back" done="The label is given back." run={act('rollBackExperiment')} />
        )}
      </div>
    </section>
  );
}
