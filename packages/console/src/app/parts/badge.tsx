import type { ComponentChildren } from 'preact';

/** A short word about the state of something. */
export function Badge(props: {
  readonly kind?: 'good' | 'bad' | 'warn' | 'plain';
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${props.kind ?? 'plain'}`}>{props.children}</span>;
}
