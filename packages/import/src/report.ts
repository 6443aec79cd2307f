import type { Source } from './source/source.ts';

/** The fate of one value of a configuration. */
export interface Finding {
  /** `changed` is mapped to something that does not behave the same. */
  readonly outcome: 'mapped' | 'changed' | 'not mapped';
  /** Such as `model_list[0]`. */
  readonly name: string;
  /** `file:line:column`. */
  readonly place: string;
  /** Its counterpart, or the reason why there is none. */
  readonly detail: string;
}

/** Reasons by path, without the numbers of lists: `model_list[].litellm_params.rpm`. `*` stands for any name. */
export type Reasons = Readonly<Record<string, string>>;

export type Report = ReturnType<typeof createReport>;

/** Collects the findings about a configuration. */
export function createReport() {
  const findings: Finding[] = [];
  const add = (outcome: Finding['outcome'], { path, place }: Source, detail: string): void => {
    findings.push({ outcome, name: path, place, detail });
  };
  return {
    mapped: (source: Source, counterpart: string): void => add('mapped', source, counterpart),
    changed: (source: Source, difference: string): void => add('changed', source, difference),
    /** The value, with everything in it. */
    notMapped(source: Source, reason: string): void {
      source.take();
      add('not mapped', source, reason);
    },
    /** Everything that was not read. */
    rest(root: Source, reasons: Reasons): void {
      const reasonOf = createReasonOf(reasons);
      for (const source of root.rest((path) => reasonOf(path) !== undefined)) {
        this.notMapped(source, reasonOf(source.path) ?? 'Patchbay has nothing that corresponds to it');
      }
    },
    /** In the order of the files and lines. */
    findings(): readonly Finding[] {
      const files = [...new Set(findings.map(({ place }) => partsOf(place).file))];
      const rank = ({ place }: Finding): readonly number[] => {
        const { file, line, column } = partsOf(place);
        return [files.indexOf(file), line, column];
      };
      return findings.toSorted((one, other) => {
        const [ones, others] = [rank(one), rank(other)];
        return ones.map((value, index) => value - (others[index] ?? 0)).find((each) => each !== 0) ?? 0;
      });
    },
  };
}

function createReasonOf(reasons: Reasons): (path: string) => string | undefined {
  const patterns = Object.entries(reasons).map(([pattern, reason]) => {
    const source = pattern.replaceAll(/[.[\]]/g, String.raw`\$&`).replaceAll('*', '.+');
    return [new RegExp(`^${source}$`), reason] as const;
  });
  return (path) => {
    const plain = path.replaceAll(/\[\d+\]/g, '[]');
    return patterns.find(([pattern]) => pattern.test(plain))?.[1];
  };
}

function partsOf(place: string) {
  const [, file = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
  return { file, line: Number(line), column: Number(column) };
}
