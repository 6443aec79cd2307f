import { type App, auditActions, PatchbayError } from '@patchbay/core';
import type { AuditEntryRow } from '@patchbay/core/storage';
import { parseIdempotencyKey } from '../input/headers.ts';
import { defineOperation, definePublicOperation } from '../operation.ts';
import { chooseEncoding } from '../output/content-encoding.ts';
import { viewOf } from '../output/view.ts';
import { docsFiles } from '../reference/page/docs-files.ts';
import { listQuery, pageReply } from './pages.ts';

// Everything needs the storage; with any other part down, much still works. The word is the same in both cases: a load
// balancer has to know whether to send requests, and what is wrong inside is not for everyone to read.
async function isReady(app: App): Promise<boolean> {
  const { status, parts } = await app.host.health();
  return status !== 'draining' && parts['storage']?.status !== 'fail';
}

const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const live = definePublicOperation({
  id: 'getLiveness',
  method: 'GET',
  path: '/healthz',
  area: 'system',
  scope: 'public',
  summary: 'Tell whether the process is alive',
  description:
    'For the liveness probe of a supervisor: 200 as long as the process responds, also while it drains. Restart ' +
    'the process when it does not respond.',
  success: { status: 200, description: 'It is.', schema: 'Health' },
  handle: async () => ({ json: { status: 'ok' } }),
});

const ready = definePublicOperation({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  area: 'system',
  scope: 'public',
  summary: 'Tell whether to send requests here',
  description: 'Answers 503 with the status `draining` while the server stops or cannot do its work.',
  success: {
    status: 200,
    description: 'Requests are welcome.',
    schema: 'Health',
    otherwise: { 503: 'No requests, please.' },
  },
  handle: async (app) =>
    (await isReady(app)) ? { json: { status: 'ok' } } : { status: 503, json: { status: 'draining' } },
});

const openApi = definePublicOperation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  area: 'system',
  scope: 'public',
  summary: 'Read the OpenAPI document of this API',
  description:
    'This document, in version 3.1, with the paths at which this server has its endpoints. Contains no data of ' +
    'tenants.',
  success: { status: 200, description: 'An OpenAPI 3.1 document.', mediaType: 'application/json' },
  handle: async (_app, { reference: { openApi: text } }) => ({ text: text(), mediaType: 'application/json' }),
});

const docs = definePublicOperation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  area: 'system',
  scope: 'public',
  summary: 'Read the reference of this API',
  description:
    'The same document as an HTML page, with a search and forms that send requests. It loads nothing from other servers.',
  success: { status: 200, description: 'A page for people.', mediaType: 'text/html; charset=utf-8' },
  async handle(_app, { reference, header }) {
    const encoding = chooseEncoding(header('accept-encoding'));
    return {
      text: encoding === undefined ? reference.docs() : await reference.compressedDocs(encoding),
      mediaType: 'text/html; charset=utf-8',
      headers: {
        'Content-Security-Policy': docsPolicy,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        Vary: 'Accept-Encoding',
        ...(encoding !== undefined && { 'Content-Encoding': encoding }),
      },
    };
  },
});

const docsFile = definePublicOperation({
  id: 'getDocsFile',
  method: 'GET',
  path: '/docs/:file',
  area: 'system',
  scope: 'public',
  summary: 'Load the style or the script of the reference',
  description:
    'Their names contain a hash of what is in them, so that browsers keep them. The page is readable without them.',
  params: { file: { description: 'Name of the file.', notFound: 'route_not_found' } },
  success: { status: 200, description: 'The file.', mediaType: 'text/javascript; charset=utf-8' },
  async handle(_app, { params }) {
    const found = docsFiles.get(params['file'] ?? '');
    if (!found) throw new PatchbayError('route_not_found', 'the reference has no such file');
    return { ...found, headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } };
  },
});

export const systemOperations = [live, ready, openApi, docs, docsFile];

const readMetrics = defineOperation({
  id: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  area: 'system',
  scope: 'metrics:read',
  summary: 'Read the metrics of this process',
  description:
    'Requests, executions, calls of models, limits, the queue, webhooks, and the process itself, of all tenants together, ' +
    'in the text format of Prometheus. For the operator: the scope `*` does not include `metrics:read`.',
  success: { status: 200, description: 'The metrics.', mediaType: 'text/plain; version=0.0.4; charset=utf-8' },
  errors: [],
  handle: async (_request, app) => ({
    text: await app.host.metrics(),
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  }),
});

export const metricsOperations = [readMetrics];

const cancelRequests = defineOperation({
  id: 'cancelRequests',
  method: 'DELETE',
  path: '/requests',
  area: 'system',
  scope: 'authenticated',
  summary: 'Cancel requests under way',
  description:
    'Cancels the requests of the caller that were sent with this `Idempotency-Key` and are under way, at any endpoint: a ' +
    'function is killed, a model call is closed. A client that gives up on a request with a key sends this, because such a ' +
    'request does not end with its connection. Cancelling what has ended, or never began, changes nothing.',
  headers: { 'Idempotency-Key': 'The key of the requests to cancel.' },
  success: {
    status: 200,
    description: 'How many requests this process has cancelled; other processes on the storage are notified.',
    schema: 'RequestCancellation',
  },
  errors: [],
  async handle({ header, context }, { services: { idempotency } }) {
    const key = header('idempotency-key');
    if (key === undefined)
      throw new PatchbayError('invalid_request', 'send the Idempotency-Key of the requests to cancel');
    return { json: { cancelled: idempotency.cancel(context.caller, parseIdempotencyKey(key)) } };
  },
});

export const requestOperations = [cancelRequests];

const listAuditEntries = defineOperation({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/audit',
  area: 'system',
  scope: 'audit:read',
  summary: 'Read the audit log',
  description: 'Who changed what, the newest first. Each entry vouches for the one before it.',
  query: {
    ...listQuery(['sequence']),
    action: { type: 'string', enum: Object.keys(auditActions), description: 'Only entries of this action.' },
    resource: { type: 'string', maxLength: 255, description: 'Only entries about the thing with this id.' },
  },
  success: { status: 200, description: 'A page of entries.', schema: 'AuditPage' },
  errors: [],
  async handle({ query: { action, resource, ...query }, context }, { services: { audit } }) {
    const filter = { ...(action && { action }), ...(resource && { resourceId: resource }) };
    return await pageReply(query, (page) => audit.list(filter, page, context), auditJson);
  },
});

const verifyAudit = defineOperation({
  id: 'verifyAudit',
  method: 'GET',
  path: '/audit/verification',
  area: 'system',
  scope: 'audit:read',
  summary: 'Verify the audit log',
  description:
    'Reads the whole log of the tenant, and finds the first entry that was changed, removed or inserted without the root secret ' +
    'of this server.',
  success: { status: 200, description: 'How much of the log is intact.', schema: 'AuditVerification' },
  errors: [],
  async handle({ context: { caller, signal } }, { services: { audit } }) {
    const { verified, broken } = await audit.verify(caller.tenant, signal);
    return { json: { verified, broken: broken ? { ...broken, id: broken.id ?? null } : null } };
  },
});

export const auditOperations = [listAuditEntries, verifyAudit];

const viewAudit = viewOf('AuditEntry');

function auditJson(row: AuditEntryRow): object {
  const resource = { type: row.resourceType, id: row.resourceId };
  const actor = { type: row.actorKind, id: row.actorId };
  return viewAudit({ ...row, resource, actor });
}
