const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time of the reader's clock, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={`${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '')} UTC`}>
      {short.format(new Date(at))}
    </time>
  );
}
