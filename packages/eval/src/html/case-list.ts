import type { CaseReport } from '../report/case-reports.ts';
import { html, type Markup } from './markup.ts';

/** Cases that are shown with their answers. A page with more is slow to open. */
const MOST_CASES = 500;

/** The answers to each case; first those on which the variants differ. */
export function caseList(cases: readonly CaseReport[]): Markup {
  const shown = [...cases].sort((one, other) => Number(differs(other)) - Number(differs(one))).slice(0, MOST_CASES);
  const left = cases.length - shown.length;
  return html`<p>Cases on which the variants differ come first.${left > 0 ? ` ${left} others are not shown; the journal of the run has them.` : ''}</p>${shown.map(caseItem)}`;
}

const differs = ({ answers }: CaseReport): boolean => new Set(answers.map(({ outcome }) => outcome)).size > 1;

function caseItem({ id, input, answers }: CaseReport): Markup {
  const count = answers.filter(({ outcome }) => outcome === 'passed').length;
  const marks = answers.map(({ outcome, variant }) => html`<i class="${outcome}" title="${variant}: ${outcome}"></i>`);
  const details = answers.map(
    ({ variant, outcome, text, reasons }) =>
      html`<dt>${variant} <span class="${outcome}">${outcome}</span></dt><pre>${text}${reasons.map(
        (reason) => html`
${reason}`,
      )}</pre>`,
  );
  return html`<details><summary>${id}${marks}<small>${count} of ${answers.length} passed</small></summary><dl><dt>input</dt><pre>${JSON.stringify(input, undefined, 2)}</pre>${details}</dl></details>`;
}
