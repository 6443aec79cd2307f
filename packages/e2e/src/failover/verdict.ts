import { isWhole, type Reading } from './endpoint.ts';
import type { Attempts, Choice, FailoverFault } from './failover-fault.ts';
import { tokens } from './sixty-words.ts';

/** One request while a fault was played, as its caller and the models saw it. */
export interface Observed {
  readonly path: string;
  readonly choice: Choice;
  readonly reading: Reading;
  readonly seconds: number;
  /** Requests that each model received. */
  readonly primary: number;
  readonly fallback: number;
  /** Seconds between the first two requests to the primary. */
  readonly pause: number | undefined;
}

/** A busy machine may need them, but no request may wait for a longer limit of the gateway. */
const WITHIN_SECONDS = 90;

/** The complaints about a request; none is a pass. */
export function complaints(fault: FailoverFault, observed: Observed): readonly string[] {
  const { reading, seconds, primary, pause, choice } = observed;
  const { asked, pauseSeconds = 0, answeredBy } = fault;
  const [least, most]: Attempts = asked[choice];
  return [
    ...(fault.ends === 'complete' ? brokenText(reading) : unreported(reading)),
    ...named([
      [seconds > WITHIN_SECONDS, `took more than ${WITHIN_SECONDS} s`],
      [primary < least, `asked the primary ${times(primary)}, not ${times(least)}`],
      [primary > most, `asked the primary ${times(primary)}`],
      [fault.ends === 'error' && observed.fallback > 0, 'asked the fallback'],
      [choice === 'named' && (pause ?? 0) < pauseSeconds - 0.05, `asked again before ${pauseSeconds} s were over`],
      [answeredBy !== undefined && !reading.model?.includes(answeredBy), `names ${reading.model} as the model`],
      [answeredBy !== undefined && reading.tokens !== tokens.outputTokens, `counts ${reading.tokens} tokens`],
    ]),
  ];
}

/** The reasons why a response is not the text, complete and once. */
export function brokenText(reading: Reading): readonly string[] {
  const words = `${reading.text.split(/\s+/).filter(Boolean).length} words`;
  const isCut = !isWhole(reading);
  return named([
    [reading.error !== undefined, `ends with ${reading.error} after ${words}`],
    [isCut && reading.saysComplete, `says that ${words} are complete, but they are not the text`],
    [isCut && !reading.saysComplete && reading.error === undefined, `ends after ${words} without an error`],
    [!isCut && !reading.saysComplete, 'does not say that the text is complete'],
  ]);
}

/** The reasons why a response is not an error, and nothing else. */
function unreported(reading: Reading): readonly string[] {
  return named([
    [reading.error === undefined, 'reports no error'],
    [reading.saysComplete, 'says that it is complete'],
    [reading.text !== '', 'sends text'],
  ]);
}

const named = (wrong: readonly (readonly [applies: boolean, words: string])[]): readonly string[] =>
  wrong.filter(([applies]) => applies).map(([, words]) => words);

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
