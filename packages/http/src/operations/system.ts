import type { App } from '@patchbay/core';
import { definePublicOperation } from '../operation.ts';

// Everything needs the storage; with any other part gone, much still works. The word is the same in both cases: a load
// balancer has to know whether to send requests, and what is wrong inside is not for everybody to read.
async function isReady(app: App): Promise<boolean> {
  const { status, parts } = await app.host.health();
  return status !== 'draining' && parts['storage']?.status !== 'fail';
}

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
  handle: async (_app, { openApi: text }) => ({ text: text(), mediaType: 'application/json' }),
});

const docs = definePublicOperation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  area: 'system',
  scope: 'public',
  summary: 'Read the reference of this API',
  description: 'The same document as an HTML page that loads no scripts and nothing from other servers.',
  success: { status: 200, description: 'A page for people.', mediaType: 'text/html; charset=utf-8' },
  handle: async (_app, { docs: page }) => {
    const { html, contentSecurityPolicy } = page();
    const headers = { 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' };
    return { text: html, mediaType: 'text/html; charset=utf-8', headers };
  },
});

export const systemOperations = [live, ready, openApi, docs];
