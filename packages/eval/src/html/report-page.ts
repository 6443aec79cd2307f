import { createHash } from 'node:crypto';
import type { CaseReport } from '../report/case-reports.ts';
import type { Report, VariantReport } from '../report/report.ts';
import { caseList } from './case-list.ts';
import { html, type Markup } from './markup.ts';
import { costPlot, dollars, intervalPlot, type PlottedPoint, percent } from './plots.ts';
import { style } from './style.ts';

/** A report as one HTML document. It runs no scripts, and loads nothing. */
export function reportPage(report: Report, cases: readonly CaseReport[]): string {
  const { variants, differences, startedAt } = report;
  const [first] = variants;
  const { name, version } = report.function;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const body = html`<h1>Evaluation of ${name}</h1>
<p>Version ${version} of the function, ${counted(variants.length, 'variant')}, ${counted(report.cases, 'case')}. Begun on ${startedAt.slice(0, 16).replace('T', ' at ')} UTC. ${dollars(report.spentUsd)} were spent.</p>
<h2>Passed</h2>
<p>Share of the graded cases whose answer passed every check, with the 95 % interval of Wilson.</p>
${intervalPlot(
  'Share of cases that have passed',
  variants.map((each) => ({ name: each.name, interval: each.passed })),
  [0, 1],
)}
${
  differences.length > 0 && first
    ? html`<h2>Difference</h2>
<p>Share that has passed, less that of ${first.name} on the same cases, with the 95 % interval of Newcombe. Where it contains 0, the variants may be equally good.</p>
${intervalPlot(
  'Difference of shares',
  differences.map(({ variant, passed }) => ({ name: variant, interval: passed })),
  [-1, 1],
)}`
    : undefined
}
${costSection(variants)}
<h2>Figures</h2>
${figureTable(variants)}
<h2>Cases</h2>
${caseList(cases)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Evaluation of ${name}</title>
<style>${{ markup: style }}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
}

function costSection(variants: readonly VariantReport[]): Markup | undefined {
  const points: PlottedPoint[] = [];
  for (const { name, cost, passed } of variants) {
    if (!passed || cost.perCallUsd === undefined) continue;
    const quality = passed.value;
    const same = points.findIndex((point) => point.quality === quality && point.cost === cost.perCallUsd);
    // Overlapping names could not be read.
    const names = same < 0 ? [] : points.splice(same, 1).map((point) => point.name);
    points.push({ name: [...names, name].join(' · '), cost: cost.perCallUsd, quality });
  }
  if (points.length < 2) return undefined;
  return html`<h2>Quality and cost</h2>
<p>Share that has passed, by the mean cost of a call.</p>
${costPlot('Share of cases that have passed, by cost', points)}`;
}

function figureTable(variants: readonly VariantReport[]): Markup {
  const hasScore = variants.some(({ score }) => score);
  const heads = ['passed', ...(hasScore ? ['score'] : []), 'per call', 'total', 'p50', 'p95', 'failed', 'no vote'];
  const rows = variants.map((variant) => {
    const { passed, score, cost, latencyMs } = variant;
    const interval = (figure: typeof score) =>
      figure && html`<small>${percent(figure.low)} to ${percent(figure.high)}</small>`;
    const cells = [
      html`${passed ? `${passed.count} of ${passed.of}` : '–'}${interval(passed)}`,
      ...(hasScore ? [html`${score ? score.value.toFixed(3) : '–'}${interval(score)}`] : []),
      html`${cost.perCallUsd === undefined ? '–' : dollars(cost.perCallUsd)}`,
      html`${dollars(cost.totalUsd)}${cost.unknown > 0 ? html`<small>${cost.unknown} unknown</small>` : undefined}`,
      html`${latencyMs ? `${latencyMs.p50} ms` : '–'}`,
      html`${latencyMs ? `${latencyMs.p95} ms` : '–'}`,
      counts(variant.failures),
      counts(variant.noVotes),
    ];
    return html`<tr><th scope="row">${variant.name}<small>${counted(variant.ended, 'answer')}</small></th>${cells.map((cell) => html`<td class="figure">${cell}</td>`)}</tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th>variant</th>${heads.map((head) => html`<th class="figure">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function counts(given: Readonly<Record<string, number>>): Markup {
  const entries = Object.entries(given);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  return html`${total}${entries.map(([text, count]) => html`<small>${count} × ${text}</small>`)}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
