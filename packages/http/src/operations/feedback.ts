import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import type { EvidenceInput, Feedback, FeedbackInput } from '../service-types.ts';
import { functionId, listQuery, pageReply, since } from './pages.ts';

const feedbackId: PathParameter = { description: 'Id of the feedback.', notFound: 'feedback_not_found' };
const read = { area: 'system', scope: 'feedback:read' } as const;
const write = { area: 'system', scope: 'feedback:write' } as const;

const view = viewOf('Feedback');

function feedbackJson(row: Feedback): object {
  const { functionId, name, model } = row;
  return view({ ...row, functionId: functionId || null, name: name || null, model: model || null });
}

const giveFeedback = defineOperation({
  ...write,
  id: 'giveFeedback',
  method: 'POST',
  path: '/feedback',
  summary: 'Say how good an answer was',
  description:
    'The target is the id of a call, chat, generation, function call or execution: the header `Patchbay-Call` of its ' +
    'response, and on endpoints outside `/v1` also its `id`. Accepted for 30 days. There is one feedback for each target and metric: sent again, it is ' +
    'answered as it is stored; with another value it is refused until the first is deleted.',
  body: bodyOf<FeedbackInput>({ schema: 'FeedbackInput', limitBytes: 262_144 }),
  success: { status: 201, description: 'The feedback.', schema: 'Feedback', headers: ['Location'] },
  errors: ['feedback_target_not_found', 'feedback_expired', 'conflict'],
  async handle({ body, context }, { services: { feedback } }) {
    const row = await feedback.give(body, context);
    return { json: feedbackJson(row), location: `/feedback/${row.id}` };
  },
});

const filter = (description: string) => ({ type: 'string', maxLength: 255, description }) as const;

const listFeedback = defineOperation({
  ...read,
  id: 'listFeedback',
  method: 'GET',
  path: '/feedback',
  summary: 'List feedback',
  description: 'That of the tenant, the newest first. With several filters, feedback that matches all of them.',
  query: {
    ...listQuery(['createdAt']),
    target: filter('Only feedback about this answer.'),
    functionId: filter('Only feedback about answers of this function.'),
    name: filter('Only feedback about calls of this name.'),
    model: filter('Only feedback about answers of this model, such as `openai/gpt-4`.'),
    metric: filter('Only feedback with this metric.'),
    since,
  },
  success: { status: 200, description: 'A page of feedback.', schema: 'FeedbackPage' },
  errors: [],
  handle({ query: { target, functionId, name, model, metric, since: from, ...query }, context }, { services }) {
    const wanted = { target, functionId, name, model, metric, since: from };
    return pageReply(query, (page) => services.feedback.list(wanted, page, context), feedbackJson);
  },
});

const getFeedback = defineOperation({
  ...read,
  id: 'getFeedback',
  method: 'GET',
  path: '/feedback/:id',
  summary: 'Read feedback',
  description: 'It outlives its target, and says which function, settings and model the target was from.',
  params: { id: feedbackId },
  success: { status: 200, description: 'The feedback.', schema: 'Feedback' },
  errors: ['feedback_not_found'],
  handle: async ({ params, context }, { services: { feedback } }) => ({
    json: feedbackJson(await feedback.get(params.id, context)),
  }),
});

const deleteFeedback = defineOperation({
  ...write,
  id: 'deleteFeedback',
  method: 'DELETE',
  path: '/feedback/:id',
  summary: 'Delete feedback',
  description: 'The target can then get other feedback with this metric.',
  params: { id: feedbackId },
  success: { status: 200, description: 'The feedback is gone.', schema: 'Deletion' },
  errors: ['feedback_not_found'],
  async handle({ params, context }, { services: { feedback } }) {
    await feedback.delete(params.id, context);
    return { json: { success: true, message: `feedback ${params.id} was deleted` } };
  },
});

const applyEvidence = defineOperation({
  id: 'applyEvidence',
  method: 'POST',
  path: '/functions/:id/evidence',
  area: 'functions',
  scope: 'functions:write',
  summary: 'Have automatic choice know of scores of an evaluation',
  description:
    'Adds scores of models to those by which the router chooses among them for this function. A score counts for a quarter of ' +
    'one of a real call, and all of a model for 50 at most. The same body with `undo` takes them back.',
  params: { id: functionId },
  body: bodyOf<EvidenceInput>({ schema: 'EvidenceInput', limitBytes: 1_048_576 }),
  success: { status: 200, description: 'How much each model got.', schema: 'Evidence' },
  errors: ['function_not_found'],
  handle: async ({ params, body, context }, { services: { feedback } }) => ({
    json: await feedback.applyEvidence(params.id, body, context),
  }),
});

export const feedbackOperations = [giveFeedback, listFeedback, getFeedback, deleteFeedback, applyEvidence];
