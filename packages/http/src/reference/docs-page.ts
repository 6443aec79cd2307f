import { createHash } from 'node:crypto';
import { errorCodes, eventKinds } from '@patchbay/core';
import type { SchemaObject } from '../schemas/schema-object.ts';
import { docsStyle } from './docs-style.ts';
import { type Html, html, prose } from './html.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from './openapi.ts';
import { membersTable, notes, schemaLink, typeName } from './schema-html.ts';

// Followed by people only; nothing is loaded from there.
const errorPage = 'https://github.com/patchbay/patchbay/blob/main/docs/reference/errors.md';

/** The reference page, and the policy under which a browser shows it: no script, no frame, nothing from elsewhere. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export function createDocsPage(document: OpenApiDocument): DocsPage {
  const { info, tags, paths, components } = document;
  const mountPath = document.servers?.[0]?.url ?? '';
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API reference</title>
<style>${{ html: docsStyle }}</style>
</head>
<body>
<nav aria-label="Contents">
<strong>${info.title}</strong>
${tags.map(
  ({ name }) => html`<h2>${name}</h2>
<ul>${endpoints
    .filter(({ operation }) => operation.tags.includes(name))
    .map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul>`,
)}
<h2>Shapes</h2>
<ul>${Object.keys(components.schemas).map((name) => html`<li>${schemaLink(name)}</li>`)}</ul>
<h2>Webhooks</h2>
<ul><li><a href="#webhooks">Events</a></li></ul>
<h2>Errors</h2>
<ul><li><a href="#errors">Error codes</a></li></ul>
</nav>
<main>
<h1>${info.title} API reference</h1>
<p class="quiet">Version ${info.version}. Also as <a href="openapi.json">OpenAPI document</a>.</p>
<p>${info.description}</p>
<h4>A first request</h4>
<p>With the address of this page without <code>/docs</code> as <code>PATCHBAY_URL</code>, and an API key as <code>PATCHBAY_API_KEY</code>:</p>
<pre><code>curl "$PATCHBAY_URL/functions" -H "Authorization: Bearer $PATCHBAY_API_KEY"</code></pre>
${endpoints.map(({ path, method, operation }) => endpointSection(mountPath + path, method, operation))}
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
${webhookSection()}
${errorSection()}
</main>
</body>
</html>
`;
  const style = createHash('sha256').update(docsStyle).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html: page.html, contentSecurityPolicy: policy };
}

function endpointSection(path: string, method: string, operation: OpenApiOperation): Html {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  return html`<section id="${operationId}">
<h2>${summary}</h2>
<h3><span class="method">${method}</span> ${path}</h3>
<p>${prose(description)}</p>
${
  parameters.length === 0
    ? undefined
    : html`<h4>Parameters</h4>
<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th></th></tr></thead><tbody>${parameters.map(
        ({ name, in: place, schema, description: text }) =>
          html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeName(schema)}</td><td>${prose(text)} ${notes(schema)}</td></tr>`,
      )}</tbody></table>`
}
${
  body &&
  html`<h4>Body</h4>
<p>${typeName(body)}. ${requestBody?.description}</p>`
}
<h4>Answers</h4>
<table><thead><tr><th>Status</th><th>Body</th><th></th></tr></thead><tbody>${Object.entries(responses).map(([status, response]) => responseRow(status, response))}</tbody></table>
</section>
`;
}

function responseRow(status: string, { description, content = {} }: OpenApiResponse): Html {
  const [first] = Object.entries(content);
  const schema = first?.[1].schema;
  const body = schema ? typeName(schema) : html`${first?.[0]}`;
  const lines = description.split('\n').map((line) => html`${prose(line)}<br>`);
  return html`<tr><td>${status}</td><td>${body}</td><td>${lines}</td></tr>`;
}

function schemaSection(name: string, schema: SchemaObject): Html {
  return html`<section id="schema-${name}">
<h2>${name}</h2>
<p>${prose(schema.description ?? '')}</p>
${schema.properties && membersTable(schema)}
</section>
`;
}

function webhookSection(): Html {
  const rows = Object.entries(eventKinds).map(
    ([kind, { summary, data }]) =>
      html`<tr><td><code>${kind}</code></td><td>${prose(summary)}</td><td>${Object.keys(data.properties).map((name) => html`<code>${name}</code> `)}</td></tr>`,
  );
  return html`<section id="webhooks">
<h2>Webhook events</h2>
<p>What is sent to webhooks, as <code>type</code>, <code>timestamp</code> and <code>data</code>. The schema of each is in the OpenAPI document.</p>
<table><thead><tr><th>Type</th><th></th><th>Data</th></tr></thead><tbody>${rows}</tbody></table>
</section>
`;
}

function errorSection(): Html {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, title, retryable }]) =>
      html`<tr id="error-${code}"><td><a href="${errorPage}#${code}"><code>${code}</code></a></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td>${title}</td></tr>`,
  );
  return html`<section id="errors">
<h2>Error codes</h2>
<p>Every failure is a <a href="#schema-Problem">Problem</a> with one of these in <code>code</code>. Each leads to what is behind it, and what to do.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Retry</th><th>Title</th></tr></thead><tbody>${rows}</tbody></table>
</section>
`;
}
