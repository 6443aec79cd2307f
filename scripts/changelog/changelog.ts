/** One changeset: which packages a change is in, how far it reaches, and what it says. */
export interface Changeset {
  readonly name: string;
  readonly packages: readonly string[];
  readonly bump: Bump;
  readonly text: string;
}

type Bump = 'major' | 'minor' | 'patch';

const headings: Readonly<Record<Bump, string>> = {
  major: 'Breaking changes',
  minor: 'Features',
  patch: 'Fixes',
};

/**
 * Read a file of `.changeset`.
 *
 * @throws Error for one without packages, without text or with an unknown bump.
 */
export function readChangeset(name: string, file: string): Changeset {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  const entries = head.split('\n').map((line) => /^["']([^"']+)["']: (major|minor|patch)$/.exec(line.trim()));
  const bumps = new Set(entries.map((entry) => entry?.[2]));
  const bump = (['major', 'minor', 'patch'] as const).find((each) => bumps.has(each));
  if (bumps.has(undefined) || bump === undefined || text.trim() === '') throw new Error(`${name} is not a changeset`);
  return { name, packages: entries.map((entry) => entry?.[1] ?? ''), bump, text: text.trim() };
}

/** The changelog of what has changed since the last release. */
export function changelog(changesets: readonly Changeset[]): string {
  const sections = (Object.keys(headings) as Bump[]).flatMap((bump) => {
    const changes = changesets.filter((each) => each.bump === bump);
    if (changes.length === 0) return [];
    const items = changes.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(itemOf);
    return [`### ${headings[bump]}\n\n${items.join('\n')}`];
  });
  return ['# Changelog', '## Unreleased', ...sections].join('\n\n').concat('\n');
}

function itemOf({ packages, text }: Changeset): string {
  const names = packages.map((name) => name.replace('@patchbay/', '')).join(', ');
  const [first = '', ...rest] = text.split('\n');
  const lines = [`- **${names}**: ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
  return lines.join('\n');
}
