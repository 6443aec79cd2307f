import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { ExperimentInput } from '../service-types.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

const base = { area: 'functions', params: { id: functionId } } as const;
const success = { status: 200, schema: 'Experiment' } as const;
const view = viewOf('Experiment');

const startExperiment = defineOperation({
  ...base,
  id: 'startExperiment',
  method: 'PUT',
  path: '/functions/:id/experiment',
  scope: 'settings:write',
  summary: 'Start an experiment between versions of the settings',
  description:
    'Calls of the label are shared out among the versions. With `adaptive` allocation, the version with the better scores gets ' +
    'the label as soon as the evidence suffices. An experiment that runs is stopped; the same again changes nothing.',
  body: bodyOf<ExperimentInput>({ schema: 'ExperimentInput', limitBytes: 16_384 }),
  success: { ...success, description: 'The experiment.' },
  errors: ['function_not_found', 'settings_not_found', 'conflict'],
  handle: async ({ params, body, context }, { services: { experiments } }) => ({
    json: view(await experiments.start(params.id, body, context)),
  }),
});

const getExperiment = defineOperation({
  ...base,
  id: 'getExperiment',
  method: 'GET',
  path: '/functions/:id/experiment',
  scope: 'settings:read',
  summary: 'Read the experiment of a function',
  description: 'The one that runs, else the last one, with the scores and the evidence so far.',
  success: { ...success, description: 'The experiment.' },
  errors: ['function_not_found', 'experiment_not_found'],
  handle: async ({ params, context }, { services: { experiments } }) => ({
    json: view(await experiments.get(params.id, context)),
  }),
});

const listExperiments = defineOperation({
  ...base,
  id: 'listExperiments',
  method: 'GET',
  path: '/functions/:id/experiments',
  scope: 'settings:read',
  summary: 'List the experiments of a function',
  description: 'Those that ended and the one that runs, newest first.',
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of experiments.', schema: 'ExperimentPage' },
  errors: ['function_not_found'],
  handle: ({ params, query, context }, { services: { experiments } }) =>
    pageReply(query, (page) => experiments.list(params.id, page, context), view),
});

const stopExperiment = defineOperation({
  ...base,
  id: 'stopExperiment',
  method: 'DELETE',
  path: '/functions/:id/experiment',
  scope: 'settings:write',
  summary: 'Stop the experiment of a function',
  description: 'Its label stays as it is. The experiment and its scores are kept.',
  success: { ...success, description: 'The experiment as it ended.' },
  errors: ['function_not_found', 'settings_not_found', 'experiment_not_found', 'conflict'],
  handle: async ({ params, context }, { services: { experiments } }) => ({
    json: view(await experiments.stop(params.id, context)),
  }),
});

const rollBackExperiment = defineOperation({
  ...base,
  id: 'rollBackExperiment',
  method: 'POST',
  path: '/functions/:id/experiment/rollback',
  scope: 'settings:write',
  summary: 'Undo the outcome of an experiment',
  description: 'The label stands for the version again that it stood for before the experiment.',
  success: { ...success, description: 'The experiment.' },
  errors: ['function_not_found', 'settings_not_found', 'experiment_not_found', 'conflict'],
  handle: async ({ params, context }, { services: { experiments } }) => ({
    json: view(await experiments.rollBack(params.id, context)),
  }),
});

export const experimentOperations = [
  startExperiment,
  getExperiment,
  listExperiments,
  stopExperiment,
  rollBackExperiment,
];
