import { type ErrorCode, errorCodes } from '@patchbay/core';
import recorded from './error-explanations.generated.json' with { type: 'json' };
import { type Html, html, prose } from './html.ts';

interface Explanation {
  readonly why: string;
  readonly fix: readonly string[];
  /** For operators of the server. */
  readonly operator?: readonly string[];
}

const explanations: Readonly<Record<ErrorCode, Explanation>> = recorded;

/** All error codes, each with its cause and what to do. `docs/reference/errors.yaml` has their texts. */
export function errorSection(): Html {
  return html`<section id="errors">
<h2>Error codes</h2>
<p>Every failure is a <a href="#schema-Problem">Problem</a> with one of these in <code>code</code>.</p>
${(Object.keys(errorCodes) as ErrorCode[]).map(errorEntry)}
</section>
`;
}

function errorEntry(code: ErrorCode): Html {
  const { status, title, retryable } = errorCodes[code];
  const { why, fix, operator } = explanations[code];
  return html`<details class="error" id="error-${code}">
<summary><code>${code}</code> <small>${status}${retryable ? ', retryable' : ''}</small> ${title}</summary>
<p>${prose(why)}</p>
<h4>What to do</h4>
${list(fix)}${operator && html`<h4>If you run the server</h4>${list(operator)}`}
</details>
`;
}

const list = (entries: readonly string[]): Html =>
  html`<ul>${entries.map((entry) => html`<li>${prose(entry)}</li>`)}</ul>`;
