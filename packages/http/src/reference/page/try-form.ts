import type { OpenApiParameter } from '../openapi.ts';
import { bodyExample, type Endpoint, textOf } from './endpoint.ts';
import { type Html, html } from './html.ts';

/** A form that sends a request from the page. Shown by the script of the page, which alone can send it. */
export function tryForm({ method, path, operation }: Endpoint): Html {
  const { parameters = [], requestBody } = operation;
  const example = bodyExample(operation) ?? {};
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">
${parameters.map(parameterField)}${
  requestBody &&
  html`<label>Body <textarea name="body" rows="8" spellcheck="false">${textOf(example)}</textarea></label>`
}
<button>Send ${method}</button> <output></output>
</form></details>`;
}

function parameterField({ name, in: place, required, schema }: OpenApiParameter): Html {
  const hint = schema.default === undefined ? undefined : html` placeholder="${textOf(schema.default)}"`;
  return html`<label>${name} <small>${place}</small> <input name="${name}" data-in="${place}"${hint}${required ? html` required` : undefined}></label>
`;
}
