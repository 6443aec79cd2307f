import { tableOf } from '../marked-part.ts';
import { type Figure, outcomeOf, type ScorecardRecord, type Target } from './scorecard-record.ts';

/** Figures with their targets, and below them how each was measured. */
export function scorecardTable(records: readonly ScorecardRecord[]): string {
  const figures = records.flatMap(({ name, figures: all }) =>
    all.map((figure) => [figure.what, figureText(figure), targetOf(figure), outcomeText(figure), name]),
  );
  const runs = records.map(({ name, command, date, load, by }) => {
    const hand = by === 'hand' ? ', written down by hand' : '';
    return [name, `\`${command}\``, `${date}${hand}`, load];
  });
  return [
    tableOf(['what', 'figure', 'target', 'result', 'run'], figures),
    '',
    tableOf(['run', 'command', 'date', 'machine'], runs),
  ].join('\n');
}

function figureText({ value, unit, note }: Figure): string {
  const text = `${numberOf(value)}${unit === undefined ? '' : ` ${unit}`}`;
  return note === undefined ? text : `${text}; ${note}`;
}

function targetOf({ target, unit }: Figure): string {
  if (target === undefined) return '';
  const { most, least, exactly }: Target = target;
  const end = unit === undefined || exactly !== undefined ? '' : ` ${unit}`;
  if (exactly !== undefined) return numberOf(exactly);
  return most === undefined ? `${numberOf(least ?? 0)}${end} or more` : `${numberOf(most)}${end} or less`;
}

function outcomeText(figure: Figure): string {
  const outcome = outcomeOf(figure);
  return outcome === 'missed' ? '**missed**' : (outcome ?? '');
}

function numberOf(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 4 }) : value;
}
