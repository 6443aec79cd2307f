import type { CallRecord, Feedback } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { type FormValues, SelectField, TextArea, TextField } from '../../parts/form.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';

const scores = [
  { value: '1', title: 'Good' },
  { value: '0.5', title: 'In between' },
  { value: '0', title: 'Bad' },
];

/** How good an answer was: the feedback so far, and a form to give more. */
export function CallFeedback({ call: { id: target } }: { readonly call: CallRecord }) {
  const { api } = useConsole();
  const query = { ...newestFirst(undefined), target };
  const { data, error, reload } = useLoad(
    async (signal) => (api.may('listFeedback') ? await api.call('listFeedback', { query, signal }) : { data: [] }),
    [target],
  );
  const give = async ({ metric = '', value, comment = '' }: FormValues): Promise<void> => {
    const said = { ...(metric !== '' && { metric }), ...(comment !== '' && { comment }) };
    await api.call('giveFeedback', { body: { target, value: Number(value), ...said } });
    reload();
  };
  if (!api.may('listFeedback') && !api.may('giveFeedback')) return null;
  return (
    <section aria-label="Feedback">
      <h2>Feedback</h2>
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      <ul class="feedback">
        {data?.data.map((each) => (
          <FeedbackLine key={each.id} value={each} />
        ))}
      </ul>
      {api.may('giveFeedback') && (
        <ActionButton title="Give feedback" done="The feedback is stored." run={give}>
          <SelectField name="value" label="How good is the answer?" options={scores} />
          <TextField
            name="metric"
            label="Metric"
            hint="Empty: score. Others are declared by the settings of the function."
          />
          <TextArea name="comment" label="Why?" rows={3} />
        </ActionButton>
      )}
    </section>
  );
}

function FeedbackLine({ value: { metric, value, comment, createdAt } }: { readonly value: Feedback }) {
  return (
    <li>
      <strong>
        {metric} {String(value)}
      </strong>{' '}
      {comment}{' '}
      <span class="quiet">
        · <Time at={createdAt} />
      </span>
    </li>
  );
}
