import type { OpenApiResponse } from '../openapi.ts';
import { bodyExample, type Endpoint, textOf } from './endpoint.ts';
import { type Html, html, prose } from './html.ts';

/** A request as a shell command, and its responses as recorded. */
export function exampleBlocks(endpoint: Endpoint): Html {
  const responses = Object.entries(endpoint.operation.responses).filter(([status]) => status.startsWith('2'));
  return html`<h4>Example</h4>
<pre><code>${curlOf(endpoint)}</code></pre>
${responses.map(([status, response]) => responseBlocks(status, response))}`;
}

function responseBlocks(status: string, { content = {} }: OpenApiResponse): Html {
  return html`${Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
    Object.values(examples).map(
      ({
        value,
        description,
      }) => html`<details><summary>Response <code>${status}</code> <small>${mediaType}</small></summary>
${description === undefined ? undefined : html`<p>${prose(description)}</p>`}<pre tabindex="0"><code>${textOf(value)}</code></pre></details>
`,
    ),
  )}`;
}

function curlOf({ method, path, operation }: Endpoint): string {
  const example = bodyExample(operation);
  const isPublic = operation.security?.length === 0;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$PATCHBAY_URL${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variableOf(name))}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $PATCHBAY_API_KEY"']),
    ...(example === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(textOf(example))}`]),
  ].join(' \\\n  ');
}

/** `{functionId}` would be expanded by curl, and is a variable like the others. */
const variableOf = (name: string): string => `$${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
