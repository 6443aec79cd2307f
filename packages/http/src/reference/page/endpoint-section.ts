import type { OpenApiOperation, OpenApiResponse } from '../openapi.ts';
import type { Endpoint } from './endpoint.ts';
import { exampleBlocks } from './example-blocks.ts';
import { type Html, html, prose } from './html.ts';
import { notes, typeName } from './shape-section.ts';
import { tryForm } from './try-form.ts';

export function endpointSection(endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const { operationId, summary, description = '' } = operation;
  return html`<section id="${operationId}">
<h2>${summary}</h2>
<h3><span class="method">${method}</span> ${path}</h3>
<p>${prose(description)}</p>
${parametersTable(operation)}${bodyLine(operation)}
${exampleBlocks(endpoint)}
${tryForm(endpoint)}
<h4>Responses</h4>
<table><thead><tr><th>Status</th><th>Body</th><th></th></tr></thead><tbody>${Object.entries(operation.responses).map(([status, response]) => responseRow(status, response))}</tbody></table>
</section>
`;
}

function parametersTable({ parameters = [] }: OpenApiOperation): Html | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    ({ name, in: place, schema, description }) =>
      html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeName(schema)}</td><td>${prose(description)} ${notes(schema)}</td></tr>`,
  );
  return html`<h4>Parameters</h4>
<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th></th></tr></thead><tbody>${rows}</tbody></table>`;
}

function bodyLine({ requestBody }: OpenApiOperation): Html | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  return (
    schema &&
    html`<h4>Body</h4>
<p>${typeName(schema)}. ${requestBody?.description}</p>`
  );
}

function responseRow(status: string, { description, content = {} }: OpenApiResponse): Html {
  const [first] = Object.entries(content);
  const schema = first?.[1].schema;
  const body = schema ? typeName(schema) : html`${first?.[0]}`;
  const lines = description.split('\n').map((line) => html`${withErrorLinks(line)}<br>`);
  return html`<tr><td>${status}</td><td>${body}</td><td>${lines}</td></tr>`;
}

/** A line about an error code begins with it, and leads to its explanation. */
function withErrorLinks(line: string): readonly Html[] {
  const [, code, rest = ''] = /^`(\w+)`(: .*)$/.exec(line) ?? [];
  return code === undefined ? prose(line) : [html`<a href="#error-${code}"><code>${code}</code></a>${prose(rest)}`];
}
