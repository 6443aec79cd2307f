import type { Interval } from '../statistics/interval.ts';
import { html, type Markup } from './markup.ts';

export interface PlottedRow {
  readonly name: string;
  readonly interval: Interval | undefined;
}

const WIDTH = 960;
const ROW = 30;
/** Where the scale begins and ends. */
const [LEFT, RIGHT] = [300, 740];

/** Figures with their intervals, one below another on the same scale. */
export function intervalPlot(
  title: string,
  rows: readonly PlottedRow[],
  [least, most]: readonly [number, number],
): Markup {
  const height = rows.length * ROW + 30;
  const x = (value: number): string => (LEFT + ((value - least) / (most - least)) * (RIGHT - LEFT)).toFixed(1);
  const bottom = rows.length * ROW + 5;
  const ticks = Array.from({ length: 5 }, (_, index) => least + ((most - least) * index) / 4);
  const scale = ticks.map(
    (tick) =>
      html`<line class="${tick === 0 ? 'axis' : 'grid'}" x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${bottom}"/><text class="quiet" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${percent(tick)}</text>`,
  );
  const marks = rows.map(({ name, interval }, index) => {
    const y = index * ROW + 17;
    const label = html`<text x="0" y="${y + 4}">${shortened(name)}<title>${name}</title></text>`;
    if (!interval) return html`${label}<text class="quiet" x="${RIGHT + 15}" y="${y + 4}">not known</text>`;
    const { value, low, high } = interval;
    const figures = `${percent(value)} (${percent(low)} to ${percent(high)})`;
    return html`${label}<line class="range" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/><circle class="dot" cx="${x(value)}" cy="${y}" r="6"/><text class="quiet" x="${RIGHT + 15}" y="${y + 4}">${figures}</text>`;
  });
  return html`<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">${scale}${marks}</svg></div>`;
}

export interface PlottedPoint {
  readonly name: string;
  /** In US dollars. */
  readonly cost: number;
  /** From 0 to 1. */
  readonly quality: number;
}

const HEIGHT = 320;
const [TOP, BOTTOM] = [20, 270];

/** Quality by cost: the best variants are at the upper left. */
export function costPlot(title: string, points: readonly PlottedPoint[]): Markup {
  const most = Math.max(...points.map(({ cost }) => cost)) * 1.1 || 1;
  const x = (cost: number): number => 60 + (cost / most) * 600;
  const y = (quality: number): number => BOTTOM - quality * (BOTTOM - TOP);
  const levels = [0, 0.25, 0.5, 0.75, 1].map(
    (level) =>
      html`<line class="grid" x1="60" x2="660" y1="${y(level)}" y2="${y(level)}"/><text class="quiet" x="50" y="${y(level) + 4}" text-anchor="end">${percent(level)}</text>`,
  );
  const prices = [0, 0.5, 1].map(
    (share) =>
      html`<text class="quiet" x="${x(most * share)}" y="${BOTTOM + 22}" text-anchor="middle">${dollars(most * share)}</text>`,
  );
  const labels = placesOfLabels(points.map(({ cost, quality }) => ({ x: x(cost), y: y(quality) })));
  const marks = points.map(({ name, cost, quality }, index) => {
    const place = html`<circle class="dot" cx="${x(cost).toFixed(1)}" cy="${y(quality).toFixed(1)}" r="7"><title>${name}: ${percent(quality)}, ${dollars(cost)}</title></circle>`;
    return html`${place}<text x="${(x(cost) + 12).toFixed(1)}" y="${(labels[index] ?? 0).toFixed(1)}">${shortened(name)}</text>`;
  });
  return html`<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${levels}${prices}<text class="quiet" x="360" y="${HEIGHT - 5}" text-anchor="middle">cost per call</text>${marks}</svg></div>`;
}

/** Height of a label, and the distance at which two begin side by side. */
const [LABEL_HEIGHT, LABEL_WIDTH] = [16, 300];

/** The heights of labels beside points, each below those that it would cover. */
function placesOfLabels(points: readonly { readonly x: number; readonly y: number }[]): readonly number[] {
  const placed: { readonly x: number; readonly y: number }[] = [];
  for (const { x, y } of points) {
    const near = placed.filter((other) => Math.abs(other.x - x) < LABEL_WIDTH).toSorted((a, b) => a.y - b.y);
    const below = near.reduce(
      (at, other) => (Math.abs(other.y - at) < LABEL_HEIGHT ? other.y + LABEL_HEIGHT : at),
      y + 4,
    );
    placed.push({ x, y: below });
  }
  return placed.map(({ y }) => y);
}

/** Characters that fit beside a plot. */
const NAME = 42;

/** Cut in the middle if it is too long: variants differ at the end, for example by their model. */
function shortened(name: string): string {
  const half = (NAME - 1) / 2;
  return name.length <= NAME ? name : `${name.slice(0, Math.floor(half))}…${name.slice(-Math.ceil(half))}`;
}

export const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;

export const dollars = (usd: number): string => `$${usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toPrecision(3)}`;
