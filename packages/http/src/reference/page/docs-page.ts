import { errorCodes } from '@patchbay/core';
import type { OpenApiDocument } from '../openapi.ts';
import { docsFileNames } from './docs-files.ts';
import { type Endpoint, endpointsOf } from './endpoint.ts';
import { endpointSection } from './endpoint-section.ts';
import { errorSection } from './error-section.ts';
import { type Html, html } from './html.ts';
import { shapeLink, shapeSection } from './shape-section.ts';
import { webhookSection } from './webhook-section.ts';

/** The API reference as a page. It is complete without scripts; with its script, it has a search and sends requests. */
export function createDocsPage(document: OpenApiDocument): string {
  const { info, components } = document;
  const endpoints = endpointsOf(document);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API reference</title>
<link rel="stylesheet" href="docs/${docsFileNames.style}">
<script type="module" src="docs/${docsFileNames.script}"></script>
</head>
<body>
${contents(document, endpoints)}
<main>
<h1>${info.title} API reference</h1>
<p class="quiet">Version ${info.version}. Also as <a href="openapi.json">OpenAPI document</a>.</p>
<p>${info.description}</p>
<h2>A first request</h2>
<p>With the address of this page without <code>/docs</code> as <code>PATCHBAY_URL</code>, and an API key as <code>PATCHBAY_API_KEY</code>:</p>
<pre><code>curl "$PATCHBAY_URL/functions" -H "Authorization: Bearer $PATCHBAY_API_KEY"</code></pre>
${endpoints.map(endpointSection)}
${Object.entries(components.schemas).map(([name, schema]) => shapeSection(name, schema))}
${webhookSection()}
${errorSection()}
</main>
</body>
</html>
`;
  return page.html;
}

function contents({ info, tags, components }: OpenApiDocument, endpoints: readonly Endpoint[]): Html {
  return html`<nav aria-label="Contents">
<strong>${info.title}</strong>
${tags.map(
  ({ name }) => html`<h2>${name}</h2>
<ul>${endpoints
    .filter(({ operation }) => operation.tags.includes(name))
    .map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul>`,
)}
<h2>Shapes</h2>
<ul>${Object.keys(components.schemas).map((name) => html`<li>${shapeLink(name)}</li>`)}</ul>
<h2>Webhooks</h2>
<ul><li><a href="#webhooks">Events</a></li></ul>
<h2>Errors</h2>
<ul>${Object.keys(errorCodes).map((code) => html`<li><a href="#error-${code}">${code}</a></li>`)}</ul>
</nav>`;
}
