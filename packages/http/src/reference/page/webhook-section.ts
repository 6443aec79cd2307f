import { eventKinds } from '@patchbay/core';
import { type Html, html, prose } from './html.ts';

/** The kinds of events that webhooks receive. */
export function webhookSection(): Html {
  const rows = Object.entries(eventKinds).map(
    ([kind, { summary, data }]) =>
      html`<tr><td><code>${kind}</code></td><td>${prose(summary)}</td><td>${Object.keys(data.properties).map((name) => html`<code>${name}</code> `)}</td></tr>`,
  );
  return html`<section id="webhooks">
<h2>Webhook events</h2>
<p>Sent to webhooks as <code>type</code>, <code>timestamp</code> and <code>data</code>. The schema of each is in the OpenAPI document.</p>
<table><thead><tr><th>Type</th><th></th><th>Data</th></tr></thead><tbody>${rows}</tbody></table>
</section>
`;
}
