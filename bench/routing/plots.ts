import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { interval, policyNames } from './compare.ts';
import { nameOf } from './jobs.ts';
import type { Results } from './run-jobs.ts';
import type { Measures } from './simulate.ts';

const folder = fileURLToPath(new URL('../../docs/plots/', import.meta.url));
const colors = ['#999', '#c7a76c', '#7570b3', '#e7298a', '#66a61e', '#1b9e77', '#377eb8', '#d95f02', '#222'];
const [width, height, left, bottom] = [720, 380, 60, 40];
const plotted = { width: width - left - 130, height: height - bottom - 20 };

interface Series {
  readonly name: string;
  readonly color: string;
  /** Coordinates from 0 to 1, to the right and upwards. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Regret over the calls of a function, by policy, as files that the page shows. */
export function writePlots(results: Results): void {
  mkdirSync(folder, { recursive: true });
  for (const matrix of ['LLMRouter', undefined]) {
    const name = (matrix ?? 'simulated').toLowerCase();
    const seriesOf = (points: (measures: readonly Measures[]) => Series['points']): readonly Series[] =>
      policyNames.flatMap((policy, place) => {
        const measures = results.get(nameOf({ ...(matrix !== undefined && { matrix }), scenario: 'all', policy }));
        return measures ? [{ name: policy, color: colors[place] as string, points: points(measures) }] : [];
      });
    const most = 0.25;
    const regrets = seriesOf((measures) =>
      (measures[0] as Measures).regrets.map((_, part, { length }) => {
        const { mean } = interval(measures.map((each) => each.regrets[part] as number));
        return [(part + 0.5) / length, Math.min(1, mean / most)];
      }),
    );
    const marks = { x: ['0', '1,000', '2,000', '3,000', '4,000'], y: ['0', '0.05', '0.1', '0.15', '0.2', '0.25'] };
    write(`routing-regret-${name}`, 'calls of a function', 'regret for each call', marks, regrets);
  }
}

function write(
  file: string,
  x: string,
  y: string,
  marks: { readonly x: readonly string[]; readonly y: readonly string[] },
  series: readonly Series[],
): void {
  const at = (right: number, up: number): readonly [number, number] => [
    left + right * plotted.width,
    20 + (1 - up) * plotted.height,
  ];
  const text = (right: number, down: number, words: string, more = ''): string =>
    `<text x="${right.toFixed(1)}" y="${down.toFixed(1)}" ${more}>${words}</text>`;
  const lines = series.map(({ color, points }) => {
    const path = points.map((point) => at(...point).map((each) => each.toFixed(1))).join(' ');
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`;
  });
  const names = series.map(({ name, color }, place) =>
    text(width - 120, 34 + place * 18, name, `fill="${color}" font-weight="bold"`),
  );
  const axis = [
    ...marks.x.map((mark, place) => {
      const [right, down] = at(place / (marks.x.length - 1), 0);
      return text(right, down + 16, mark, 'text-anchor="middle" fill="#777"');
    }),
    ...marks.y.flatMap((mark, place) => {
      const [right, down] = at(0, place / (marks.y.length - 1));
      return [
        text(right - 6, down + 4, mark, 'text-anchor="end" fill="#777"'),
        `<line x1="${right}" x2="${right + plotted.width}" y1="${down}" y2="${down}" stroke="#8884"/>`,
      ];
    }),
    text(left + plotted.width / 2, height - 6, x, 'text-anchor="middle" fill="#777"'),
    text(left, 12, y, 'fill="#777"'),
  ];
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">\n<title>${y}, by ${x}</title>`;
  writeFileSync(`${folder}${file}.svg`, `${[open, ...axis, ...lines, ...names, '</svg>'].join('\n')}\n`);
}
