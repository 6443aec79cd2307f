import type { Schedule, Function as StoredFunction } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import type { FormValues } from '../../parts/form.tsx';
import { ScheduleFields, scheduleOf } from './schedule-form.tsx';

interface ScheduleActionsProps {
  readonly saved: StoredFunction;
  readonly schedule: Schedule;
  readonly onChange: () => void;
}

/** What can be done with a schedule. */
export function ScheduleActions({ saved, schedule, onChange }: ScheduleActionsProps) {
  const { api, router } = useConsole();
  const { enabled, name } = schedule;
  const path = { id: saved.id, schedule: schedule.id };
  const run = (operation: 'runSchedule' | 'pauseSchedule' | 'resumeSchedule') => async (): Promise<void> => {
    await api.call(operation, { path });
    onChange();
  };
  const replace = async (values: FormValues): Promise<void> => {
    await api.call('replaceSchedule', { path, body: { ...scheduleOf(values), name, enabled } });
    onChange();
  };
  const remove = async (): Promise<void> => {
    await api.call('deleteSchedule', { path });
    router.go(linkTo(['functions', saved.id, 'schedules']));
  };
  return (
    <>
      {api.may('runSchedule') && (
        <ActionButton title="Run now" done="A run is in the queue." run={run('runSchedule')} />
      )}
      {enabled && api.may('pauseSchedule') && (
        <ActionButton title="Pause" done="The schedule is paused." run={run('pauseSchedule')} />
      )}
      {!enabled && api.may('resumeSchedule') && (
        <ActionButton title="Resume" done="The schedule goes on." run={run('resumeSchedule')}>
          <p>It runs with your key from now on. The times while it was paused are not made up.</p>
        </ActionButton>
      )}
      {api.may('replaceSchedule') && (
        <ActionButton title="Edit" done="The schedule is changed." run={replace}>
          <p class="quiet">It runs with your key from now on.</p>
          <ScheduleFields saved={saved} schedule={schedule} />
        </ActionButton>
      )}
      {api.may('deleteSchedule') && (
        <ActionButton title="Delete" done="The schedule is deleted." danger run={remove}>
          <p>Its executions stay, and those that wait still run.</p>
        </ActionButton>
      )}
    </>
  );
}
