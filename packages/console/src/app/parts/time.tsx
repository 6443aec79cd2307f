const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

/** A time on the reader's clock, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={utcText(at)}>
      {short.format(new Date(at))}
    </time>
  );
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The same in a list: if there is little room, only the time of day for today, and only the date for other days. */
export function ListTime({ at }: { readonly at: string }) {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return (
    <time datetime={at} title={utcText(at)}>
      <span class="wide">{short.format(moment)}</span>
      <span class="narrow">{(isToday ? timeOfDay : date).format(moment)}</span>
    </time>
  );
}

/** A date without a time, such as that of a release. */
export function DateOnly({ at }: { readonly at: string }) {
  return <time datetime={at}>{day.format(new Date(at))}</time>;
}

/** The time of day on the reader's clock, with milliseconds. */
export function clockText(at: string): string {
  const milliseconds = /\.\d{3}/.exec(at)?.[0] ?? '';
  return at === '' ? '' : `${clock.format(new Date(at))}${milliseconds}`;
}

export function utcText(at: string): string {
  return `${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '')} UTC`;
}
