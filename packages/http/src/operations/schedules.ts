import { executionView } from '@patchbay/core';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import type { Schedule, ScheduleInput } from '../service-types.ts';
import { executionSummaryJson } from './executions.ts';
import { functionErrors } from './function-errors.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

const scheduleId: PathParameter = { description: 'Id of the schedule.', notFound: 'schedule_not_found' };

const ofFunction = { area: 'functions', params: { id: functionId } } as const;
const ofSchedule = { area: 'functions', params: { id: functionId, schedule: scheduleId } } as const;
// It runs the function later, as the caller.
const write = { scope: 'functions:write', alsoNeeds: ['functions:execute'] } as const;
const missing = ['function_not_found', 'schedule_not_found'] as const;

const body = bodyOf<ScheduleInput>({
  schema: 'ScheduleInput',
  limitBytes: 1_048_576,
  ignored: [
    'id',
    'functionId',
    'pausedReason',
    'nextAt',
    'lastMissedAt',
    'lastExecutionId',
    'createdAt',
    'createdBy',
    'updatedAt',
    'updatedBy',
  ],
});

const members = viewOf('Schedule');

function view({ state, nextAt, ...row }: Schedule): object {
  const enabled = state === 'active';
  const shown = members({ ...row, enabled, ...(enabled && { nextAt }) });
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null));
}

const createSchedule = defineOperation({
  ...ofFunction,
  ...write,
  id: 'createSchedule',
  method: 'POST',
  path: '/functions/:id/schedules',
  summary: 'Run a function at times of the clock',
  description:
    'Each time makes one execution, whatever number of servers there are. It runs as the caller, and is paused when the key of ' +
    'the caller is revoked or expires.',
  body,
  success: { status: 201, description: 'The schedule.', schema: 'Schedule', headers: ['Location'] },
  errors: ['function_not_found', 'input_invalid', 'conflict'],
  async handle({ params: { id }, body: given, context }, { services: { schedules } }) {
    const row = await schedules.create(id, given, context);
    return { json: view(row), location: `/functions/${id}/schedules/${row.id}` };
  },
});

const listSchedules = defineOperation({
  ...ofFunction,
  id: 'listSchedules',
  method: 'GET',
  path: '/functions/:id/schedules',
  scope: 'functions:read',
  summary: 'List the schedules of a function',
  description: 'Those that are paused as well.',
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of schedules.', schema: 'SchedulePage' },
  errors: ['function_not_found'],
  handle: ({ params, query, context }, { services: { schedules } }) =>
    pageReply(query, (page) => schedules.list(params.id, page, context), view),
});

const getSchedule = defineOperation({
  ...ofSchedule,
  id: 'getSchedule',
  method: 'GET',
  path: '/functions/:id/schedules/:schedule',
  scope: 'functions:read',
  summary: 'Read a schedule',
  description: 'Its definition, its next time, and whether it is paused.',
  success: { status: 200, description: 'The schedule.', schema: 'Schedule' },
  errors: missing,
  handle: async ({ params: { id, schedule }, context }, { services: { schedules } }) => ({
    json: view(await schedules.get(id, schedule, context)),
  }),
});

const replaceSchedule = defineOperation({
  ...ofSchedule,
  ...write,
  id: 'replaceSchedule',
  method: 'PUT',
  path: '/functions/:id/schedules/:schedule',
  summary: 'Replace a schedule',
  description:
    'A full replacement: what is left out gets its default, so a schedule without `enabled` is enabled. It runs as the caller ' +
    'from now on.',
  body,
  success: { status: 200, description: 'The schedule as it is now.', schema: 'Schedule' },
  errors: [...missing, 'input_invalid', 'conflict'],
  handle: async ({ params: { id, schedule }, body: given, context }, { services: { schedules } }) => ({
    json: view(await schedules.replace(id, schedule, given, context)),
  }),
});

const deleteSchedule = defineOperation({
  ...ofSchedule,
  id: 'deleteSchedule',
  method: 'DELETE',
  path: '/functions/:id/schedules/:schedule',
  scope: 'functions:write',
  summary: 'Delete a schedule',
  description: 'Its executions stay, and those that wait still run.',
  success: { status: 200, description: 'The schedule is gone.', schema: 'Deletion' },
  errors: missing,
  async handle({ params: { id, schedule }, context }, { services: { schedules } }) {
    await schedules.delete(id, schedule, context);
    return { json: { success: true, message: `schedule ${schedule} was deleted` } };
  },
});

const pauseSchedule = defineOperation({
  ...ofSchedule,
  id: 'pauseSchedule',
  method: 'POST',
  path: '/functions/:id/schedules/:schedule/pause',
  scope: 'functions:write',
  summary: 'Pause a schedule',
  description: 'Executions that wait still run.',
  success: { status: 200, description: 'The schedule, paused.', schema: 'Schedule' },
  errors: [...missing, 'conflict'],
  handle: async ({ params: { id, schedule }, context }, { services: { schedules } }) => ({
    json: view(await schedules.pause(id, schedule, context)),
  }),
});

const resumeSchedule = defineOperation({
  ...ofSchedule,
  ...write,
  id: 'resumeSchedule',
  method: 'POST',
  path: '/functions/:id/schedules/:schedule/resume',
  summary: 'Resume a schedule',
  description: 'It goes on with its next time, as the caller. Times while it was paused are not made up.',
  success: { status: 200, description: 'The schedule, enabled.', schema: 'Schedule' },
  errors: [...missing, 'conflict'],
  handle: async ({ params: { id, schedule }, context }, { services: { schedules } }) => ({
    json: view(await schedules.resume(id, schedule, context)),
  }),
});

const listNextRuns = defineOperation({
  ...ofSchedule,
  id: 'listNextRuns',
  method: 'GET',
  path: '/functions/:id/schedules/:schedule/next-runs',
  scope: 'functions:read',
  summary: 'List the next times of a schedule',
  description: 'Those of a schedule that is paused as well, as if it were resumed now.',
  query: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'Number of times.' },
  },
  success: { status: 200, description: 'The next times.', schema: 'NextRuns' },
  errors: missing,
  handle: async ({ params: { id, schedule }, query, context }, { services: { schedules } }) => ({
    json: { data: await schedules.nextRuns(id, schedule, query.limit, context) },
  }),
});

const runSchedule = defineOperation({
  ...ofSchedule,
  id: 'runSchedule',
  method: 'POST',
  path: '/functions/:id/schedules/:schedule/run',
  scope: 'functions:execute',
  limit: 'execute',
  summary: 'Run a schedule now',
  description:
    'Queues an execution with the input of the schedule, on behalf of the caller. With `overlap: queue` it waits for the run ' +
    'before it.',
  success: { status: 202, description: 'The execution, which waits.', schema: 'Execution', headers: ['Location'] },
  errors: [...missing, 'input_invalid', 'concurrency_limited', 'conflict', ...functionErrors],
  async handle({ params: { id, schedule }, context }, { services: { schedules } }) {
    const row = await schedules.run(id, schedule, context);
    return { json: executionView(row), location: `/executions/${row.id}` };
  },
});

const listScheduledExecutions = defineOperation({
  ...ofSchedule,
  id: 'listScheduledExecutions',
  method: 'GET',
  path: '/functions/:id/schedules/:schedule/executions',
  scope: 'functions:read',
  summary: 'List the executions of a schedule',
  description: 'One for each of its times, and those that callers asked for. A time that was skipped is `cancelled`.',
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of executions.', schema: 'ExecutionPage' },
  errors: missing,
  handle: ({ params: { id, schedule }, query, context }, { services: { schedules } }) =>
    pageReply(query, (page) => schedules.listExecutions(id, schedule, page, context), executionSummaryJson),
});

export const scheduleOperations = [
  createSchedule,
  listSchedules,
  getSchedule,
  replaceSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  listNextRuns,
  runSchedule,
  listScheduledExecutions,
];
