import { createHash } from 'node:crypto';
import { errorCodes, eventKinds } from '@patchbay/core';
import type { Route } from '../routing.ts';
import type { SchemaObject } from '../schemas/components.ts';
import { boundsOf } from './bounds-text.ts';
import { createOpenApiDocument, type OpenApiDocument, type OpenApiOperation, type OpenApiResponse } from './openapi.ts';

// Followed by people only; nothing is loaded from there.
const errorPage = 'https://github.com/patchbay/patchbay/blob/main/docs/reference/errors.md';

/** The reference page and its content security policy: no scripts, no frames, no external resources. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

function createDocsPage(document: OpenApiDocument): DocsPage {
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

/** The members of an object schema as a table. Members that are objects themselves follow, indented. */
function membersTable(schema: SchemaObject): Html {
  return html`<table><thead><tr><th>Member</th><th>Type</th><th></th></tr></thead><tbody>${rows(schema, '')}</tbody></table>`;
}

function rows(schema: SchemaObject, prefix: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) ? html` <small>required</small>` : undefined;
    const row = html`<tr><td><code>${path}</code>${required}</td><td>${typeName(member)}</td><td>${notes(member)}</td></tr>`;
    const inner = member.items?.properties
      ? { schema: member.items, at: `${path}[].` }
      : { schema: member, at: `${path}.` };
    return [row, ...rows(inner.schema, inner.at)];
  });
}

/** The type of a schema in a few words, with a link where it has a name. */
export function typeName(schema: SchemaObject): Html {
  if (schema.$ref !== undefined) return schemaLink(schema.$ref);
  if (schema.items) return html`array of ${typeName(schema.items)}`;
  if (Array.isArray(schema.type)) return html`${schema.type.join(' or ')}`;
  return html`${typeof schema.type === 'string' ? schema.type : schema['const'] === undefined ? 'any' : JSON.stringify(schema['const'])}`;
}

function schemaLink(reference: string): Html {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

/** Description, allowed values, bounds and default of a schema. */
export function notes(schema: SchemaObject): readonly Html[] {
  const texts = [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(schema.enum ? [`One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`] : []),
    ...boundsOf(schema),
    ...(schema.default === undefined ? [] : [`Default \`${JSON.stringify(schema.default)}\`.`]),
  ];
  return prose(texts.join(' '));
}

/** HTML that is safe to put into a page. */
interface Html {
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Part = string | number | Html | readonly Html[] | undefined;

/** A template for HTML: every text that is filled in is escaped, unless it was made by this function. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = parts.map((part, index) => render(part) + (texts[index + 1] ?? ''));
  return { html: (texts[0] ?? '') + filled.join('') };
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'html' in part ? part.html : part.map((item) => item.html).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A text in which words between backticks become code. */
export function prose(text: string): readonly Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** The style of the reference page: one column of text, a list of endpoints beside it, light and dark. */
const docsStyle = `
:root { color-scheme: light dark; --line: light-dark(#d8dade, #3a3d44); --soft: light-dark(#f4f5f7, #1f2126);
  --quiet: light-dark(#5a606b, #a3a8b3); --link: light-dark(#1450b8, #8ab4ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); margin: 1.5rem 0 .4rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem 0; font-size: .9rem; text-decoration: none; }
main { padding: 1.5rem 3rem 6rem; max-width: 60rem; }
a { color: var(--link); }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .5rem; }
h3 { font: 600 1rem/1.5 ui-monospace, monospace; background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; padding: .5rem .8rem; overflow-wrap: anywhere; }
h4 { margin: 1.4rem 0 .3rem; font-size: .95rem; }
.method { display: inline-block; min-width: 4.2rem; }
code { font: .875em ui-monospace, monospace; background: var(--soft); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .8rem; overflow-x: auto; }
pre code { padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 500; }
small, .quiet { color: var(--quiet); }
@media (max-width: 52rem) { body { display: block; } nav { position: static; height: 11rem;
  border: 0; border-bottom: 1px solid var(--line); } main { padding: 0 1.5rem 4rem; } }
`;

/** The OpenAPI document and the reference page: made when first asked for, then kept. */
export interface Reference {
  readonly openApi: () => string;
  readonly docs: () => DocsPage;
}

/** The reference as it is below what a host cuts off. Kept for the last such path only: a pattern can have any number. */
export function createReference(routes: readonly Route[]): (mountPath: string) => Reference {
  let last: { readonly mountPath: string; readonly reference: Reference } | undefined;
  return (mountPath) => {
    if (last?.mountPath !== mountPath) last = { mountPath, reference: createReferenceAt(routes, mountPath) };
    return last.reference;
  };
}

function createReferenceAt(routes: readonly Route[], mountPath: string): Reference {
  let document: string | undefined;
  let page: DocsPage | undefined;
  const build = () => createOpenApiDocument(routes, mountPath);
  return {
    openApi: () => (document ??= JSON.stringify(build())),
    docs: () => (page ??= createDocsPage(build())),
  };
}
