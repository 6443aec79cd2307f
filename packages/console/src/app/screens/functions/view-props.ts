import type { ComponentChildren } from 'preact';

/** Props of every view of a function. */
export interface ViewProps {
  /** Title of the page and what leads to it. */
  readonly page: {
    readonly title: string;
    readonly trail: readonly { readonly title: string; readonly href: string }[];
  };
  /** The tabs. */
  readonly head: ComponentChildren;
}
