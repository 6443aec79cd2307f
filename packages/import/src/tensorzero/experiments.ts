import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';

/** How TensorZero divides the requests of a function over its variants. */
interface Sampling {
  /** Shares by variant; without a section, all variants have equal shares. */
  readonly weights: ReadonlyMap<string, number>;
  readonly source: Source;
  readonly isAdaptive: boolean;
}

const adaptiveOptions = {
  metric: '--metric',
  delta: '--delta',
  epsilon: '--epsilon',
  min_samples_per_variant: '--min-per-variant',
} as const;

/**
 * The variants in the order in which their settings become versions: calls go to the first, which is the one with the
 * most requests. Splitting requests among several takes an experiment here, which is started with a command.
 *
 * @param metrics Names of metrics that are mapped.
 */
export function orderVariants(
  name: string,
  source: Source,
  variants: readonly string[],
  { metrics, report }: { readonly metrics: readonly string[]; readonly report: Report },
): readonly string[] {
  const sampling = readSampling(source, variants);
  const shares = [...sampling.weights].filter(([variant, weight]) => weight > 0 && variants.includes(variant));
  const [first = variants[0]] = shares.toSorted(([, one], [, other]) => other - one)[0] ?? [];
  if (first === undefined) return [];
  const ordered = [first, ...variants.filter((variant) => variant !== first)];
  if (shares.length > 1) {
    const versions = shares.map(([variant]) => `--variant ${ordered.indexOf(variant) + 1}`);
    reportExperiment(
      { ...sampling, name, versions, isEven: new Set(sampling.weights.values()).size === 1 },
      metrics,
      report,
    );
  }
  return ordered;
}

interface Experiment extends Sampling {
  readonly name: string;
  readonly versions: readonly string[];
  readonly isEven: boolean;
}

function reportExperiment(
  { name, source, isAdaptive, versions, isEven }: Experiment,
  metrics: readonly string[],
  report: Report,
): void {
  const options = Object.entries(adaptiveOptions).flatMap(([option, flag]) => {
    const value = isAdaptive ? (source.text(option) ?? source.number(option)) : undefined;
    return value === undefined ? [] : [{ option, text: `${flag} ${value}`, value }];
  });
  const metric = options.find(({ option }) => option === 'metric')?.value;
  if (metric !== undefined && !metrics.includes(String(metric))) {
    report.notMapped(source, `its metric ${metric} is not mapped: an experiment could not compare by it`);
    return;
  }
  const flags = [...versions, `--allocation ${isAdaptive ? 'adaptive' : 'fixed'}`, ...options.map(({ text }) => text)];
  const command = `patchbay experiments start ${name} ${flags.join(' ')}`;
  report.changed(source, `start it after the push: ${command}${isAdaptive || isEven ? '' : '; the shares are equal'}`);
}

function readSampling(source: Source, variants: readonly string[]): Sampling {
  const section = source.member('experimentation');
  const candidates = section?.member('candidate_variants');
  if (section !== undefined && candidates !== undefined) {
    const names = section.texts('candidate_variants');
    const weighted = candidates.members().map(([name, weight]) => [name, Number(weight.take())] as const);
    const isAdaptive = ['adaptive', 'track_and_stop'].includes(section.text('type') ?? '');
    return { weights: new Map(names?.map((name) => [name, 1]) ?? weighted), source: section, isAdaptive };
  }
  // Earlier versions expressed this as weights of variants.
  const given = (source.member('variants')?.members() ?? []).flatMap(([name, variant]) => {
    const weight = variant.number('weight');
    return weight === undefined ? [] : [[name, weight] as const];
  });
  const weights = given.length > 0 ? given : variants.map((name) => [name, 1] as const);
  return { weights: new Map(weights), source, isAdaptive: false };
}
