const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

/** A time of the reader's clock, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={utcText(at)}>
      {short.format(new Date(at))}
    </time>
  );
}

/** A date that has no time, as that of a release. */
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
