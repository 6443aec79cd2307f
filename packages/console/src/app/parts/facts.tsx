import type { ComponentChildren } from 'preact';

/** A `wide` value has a line of its own; one like an `id` has room for two. */
type Fact = readonly [name: string, value: ComponentChildren, size?: 'wide' | 'id'];

/** Names and values of one thing; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value, size]) => (
          <div key={name} class={size}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
