import type { Schedule, ScheduleInput, Function as StoredFunction } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { Form, type FormValues, SelectField, TextArea, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { exampleOf } from '../../parts/schema-form.tsx';
import type { ViewProps } from './view-props.ts';

/** Options for a time at which the previous run has not ended. */
export const overlaps = [
  { value: 'skip', title: 'leave out the new run' },
  { value: 'queue', title: 'wait for the run before' },
  { value: 'allow', title: 'run both' },
];
/** Options for times at which no server was running. */
export const catchUps = [
  { value: 'none', title: 'leave them out' },
  { value: 'last', title: 'run once, for the last of them' },
  { value: 'all', title: 'run for each of them' },
];

/** Creates a schedule of a function. */
export function ScheduleCreation({ page, head, saved }: ViewProps & { readonly saved: StoredFunction }) {
  const { api, router, notices } = useConsole();
  const create = async (values: FormValues): Promise<void> => {
    const body = { ...scheduleOf(values), ...(values['name'] !== '' && { name: values['name'] ?? '' }) };
    const { id } = await api.call('createSchedule', { path: { id: saved.id }, body });
    notices.show('The schedule is created.');
    router.go(linkTo(['functions', saved.id, 'schedules', id]));
  };
  return (
    <Page {...page}>
      {head}
      <h2>New schedule</h2>
      <Form submit="Create the schedule" onSubmit={create}>
        <TextField name="name" label="Name" placeholder="default" hint="It cannot be changed later." />
        <ScheduleFields saved={saved} />
      </Form>
    </Page>
  );
}

/** The fields of a schedule that can be changed. */
export function ScheduleFields(props: { readonly saved: StoredFunction; readonly schedule?: Schedule }) {
  const { saved, schedule } = props;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const input = schedule?.input ?? exampleOf(saved.input);
  return (
    <>
      <TextField
        name="cron"
        label="Cron pattern"
        value={schedule?.cron ?? ''}
        placeholder="30 8 * * MON-FRI"
        hint="Minute, hour, day of the month, month, day of the week."
      />
      <TextField
        name="timezone"
        label="Time zone of the pattern"
        value={schedule?.timezone ?? (schedule ? '' : timeZone)}
        placeholder="UTC"
      />
      <TextField
        name="every"
        label="Interval, in place of a pattern"
        value={schedule?.every ?? ''}
        placeholder="1h"
        hint="Such as 90s, 5m, 1h or 7d."
      />
      <TextArea name="input" label="Input as JSON" value={JSON.stringify(input, null, 2)} />
      <SelectField
        name="overlap"
        label="While the run before has not ended"
        value={schedule?.overlap ?? 'skip'}
        options={overlaps}
      />
      <SelectField
        name="catchUp"
        label="Times at which no server was there"
        value={schedule?.catchUp ?? 'none'}
        options={catchUps}
      />
    </>
  );
}

/** @throws Error if the input is not JSON. */
export function scheduleOf(values: FormValues): ScheduleInput {
  const { cron = '', timezone = '', every = '', overlap, catchUp } = values;
  return {
    ...(cron !== '' && { cron }),
    ...(cron !== '' && timezone !== '' && { timezone }),
    ...(every !== '' && { every }),
    input: inputIn(values['input'] ?? ''),
    overlap: overlap as Schedule['overlap'],
    catchUp: catchUp as Schedule['catchUp'],
  };
}

function inputIn(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error('the input is not valid JSON');
  }
}
