import type { ComponentChildren } from 'preact';

/** Shown when there is nothing yet: says what will be here, and how to begin. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
