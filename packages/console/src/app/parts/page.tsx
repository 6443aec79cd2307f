import type { ComponentChildren } from 'preact';

interface PageProps {
  readonly title: string;
  /** Links that lead here, outermost first. */
  readonly trail?: readonly { readonly title: string; readonly href: string }[];
  /** Buttons at the right of the title. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a screen, its actions, and what it shows. */
export function Page({ title, trail = [], actions, children }: PageProps) {
  return (
    <article class="page">
      <header class="page-head">
        <h1>
          {trail.map((step) => (
            <span class="trail" key={step.href}>
              <a href={step.href}>{step.title}</a>
              <span aria-hidden="true"> / </span>
            </span>
          ))}
          {title}
        </h1>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </article>
  );
}
