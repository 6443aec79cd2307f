import { upstreamReplies } from '@patchbay/testing';
import { ask, playOnSeats, prompt } from './play-failover.ts';
import { writer } from './sixty-words.ts';
import { brokenText, type Observed } from './verdict.ts';

const REQUESTS = 20;
const SECONDS_BETWEEN = 4;
const DOWN_SECONDS = 60;
const BACK_WITHIN_SECONDS = 30;

/** The fifteenth fault, as the page names it. */
export const outage = {
  number: 15,
  what: '503 for a minute, then healthy; a request every 4 s',
  does: {
    named: 'fallback; the first model again at most 30 s after it is well',
    automatic: 'fallback; the first model again at most 30 s after it is well',
  },
} as const;

/** The requests of one way to ask, with what is wrong with them. */
export interface ObservedOutage extends Pick<Observed, 'path' | 'choice'> {
  readonly complaints: readonly string[];
}

/** Plays an outage of the primary through all endpoints, on a clock that is moved between the requests. */
export async function playOutage(): Promise<readonly ObservedOutage[]> {
  let advanced = 0;
  const clock = { now: () => Date.now() + advanced, monotonic: () => performance.now() + advanced };
  return await playOnSeats(
    async (gateway, seats) => {
      for (const { primary, fallback } of seats) {
        primary.script(upstreamReplies.status(503));
        fallback.script(writer());
      }
      const turns: (readonly Observed[])[] = [];
      for (let at = 0; at < REQUESTS * SECONDS_BETWEEN; at += SECONDS_BETWEEN) {
        if (at >= DOWN_SECONDS) for (const { primary } of seats) primary.script(writer());
        turns.push(await Promise.all(seats.map((seat) => ask(gateway, seat))));
        advanced += SECONDS_BETWEEN * 1_000;
      }
      return seats.map(({ endpoint: { path }, choice }, index) => {
        return { path, choice, complaints: complaintsAbout(turns.flatMap((turn) => turn[index] ?? [])) };
      });
    },
    prompt,
    clock,
  );
}

function complaintsAbout(requests: readonly Observed[]): readonly string[] {
  const down = DOWN_SECONDS / SECONDS_BETWEEN;
  const broken = requests.flatMap(({ reading }, index) => brokenText(reading).map((words) => `${index}: ${words}`));
  const most = Math.max(...requests.map(({ primary }) => primary));
  const asked = requests.slice(0, down).reduce((sum, { primary }) => sum + primary, 0);
  const back = requests.slice(down).findIndex(({ primary, fallback }) => primary === 1 && fallback === 0);
  return [
    ...broken,
    ...(most > 2 ? [`asked the primary ${most} times for one request`] : []),
    ...(asked > down ? [`asked the primary ${asked} times for ${down} requests while it was down`] : []),
    ...(back < 0 || back * SECONDS_BETWEEN > BACK_WITHIN_SECONDS
      ? [`did not return to the primary within ${BACK_WITHIN_SECONDS} s`]
      : []),
  ];
}
