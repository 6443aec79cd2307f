import { join } from 'node:path';
import type { FunctionBody } from '@patchbay/client';
import { freeName } from '../free-name.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';
import { SourceError } from '../source/source-node.ts';
import { orderVariants } from './experiments.ts';
import { inputOf, type JsonSchema, propertiesOf, textSchema } from './input-schema.ts';
import type { Models } from './read-models.ts';
import { type Settings, settingsOf } from './read-variant.ts';
import { nextTo, type ReadSourceFile, readText } from './source-files.ts';
import { TemplateFault, type TemplateFile, type Translation, translateTemplate } from './translate-template.ts';

export interface FunctionContext {
  readonly models: Models;
  /** Names of metrics that are mapped. */
  readonly metrics: readonly string[];
  readonly report: Report;
  readonly read: ReadSourceFile;
  /** Reads files that templates include; undefined if the configuration does not allow them. */
  readonly include: ((name: string) => Promise<TemplateFile>) | undefined;
}

/** A function with the settings of its other variants, by label. */
export interface ImportedFunction extends FunctionBody {
  readonly labels: Readonly<Record<string, Settings>>;
}

/** Create functions without code from the functions of a configuration. */
export async function readFunctions(root: Source, context: FunctionContext): Promise<readonly ImportedFunction[]> {
  const functions: ImportedFunction[] = [];
  for (const [name, source] of root.member('functions')?.members() ?? []) {
    const body = await readFunction(name, source, context);
    if (typeof body === 'string') context.report.notMapped(source, body);
    else functions.push(body);
  }
  return functions;
}

/** @returns The reason if it cannot be a function here. */
async function readFunction(
  name: string,
  source: Source,
  context: FunctionContext,
): Promise<ImportedFunction | string> {
  const { report } = context;
  const type = source.text('type');
  if ((source.texts('tools') ?? []).length > 0) {
    return 'its caller runs the tools that it calls: send them to /chat, or write a function with code';
  }
  const parts = partsOf(source);
  if (typeof parts === 'string') return parts;
  const system = await readSchema(parts.systemSchema, context);
  const user = await readSchema(parts.userSchema, context);
  const output = type === 'json' ? await readSchema(source.member('output_schema'), context) : undefined;
  if (output !== undefined && output['type'] !== 'object') return 'its output is not an object';

  const drafts: Draft[] = [];
  for (const [variant, each] of source.member('variants')?.members() ?? []) {
    const draft = await readTemplates(variant, each, parts.message, context);
    if (draft) drafts.push(draft);
  }
  const variables = drafts.flatMap(({ user: template }) => template?.variables ?? []);
  const free = user === undefined ? [...new Set(variables)].filter((variable) => variable !== 'user_text') : [];
  const input = inputOf(system, user, free);
  if (typeof input === 'string') return input;

  const scope = { properties: propertiesOf(input.schema), hasSchema: user !== undefined };
  const made = drafts.flatMap((draft) => expressDraft(draft, input.names, scope, context) ?? []);
  const ordered = orderVariants(
    name,
    source,
    made.map((each) => each.name),
    context,
  );
  const [own, ...others] = ordered.flatMap((variant) => made.find((each) => each.name === variant) ?? []);
  if (own === undefined) return 'none of its variants can be expressed';
  const counterpart = `the function ${name}, with the settings of ${own.name}`;
  if (type === 'json') report.mapped(source, counterpart);
  else report.changed(source, `${counterpart}: a call has one message and no history, and its output is { text }`);
  reportVariant(own, 'the settings of the function', report);
  const labels = labelsOf(others);
  for (const [label, other] of labels) reportVariant(other, `the settings of the label ${label}`, report);
  return {
    name,
    description: source.text('description') ?? '',
    input: input.schema,
    output: output ?? (type === 'json' ? { type: 'object' } : textSchema),
    settings: own.settings,
    labels: Object.fromEntries([...labels].map(([label, { settings }]) => [label, settings])),
  };
}

interface Parts {
  readonly systemSchema: Source | undefined;
  readonly userSchema: Source | undefined;
  /** The template of the user's message. */
  readonly message: string;
}

/** Schemas by their old and new names. A template of another name is that of the user's message, if it is the only one. */
function partsOf(source: Source): Parts | string {
  const schemas = source.member('schemas');
  const variants = source.member('variants')?.members() ?? [];
  const templates = variants.flatMap(([, variant]) => variant.member('templates')?.members() ?? []);
  const names = [...(schemas?.members() ?? []), ...templates].map(([name]) => name);
  const others = [...new Set(names)].filter((name) => !['system', 'assistant', 'user'].includes(name));
  if (others.length > 1 || (others.length === 1 && names.includes('user'))) {
    return `a call would have to choose one of its templates: ${others.join(', ')}`;
  }
  const message = others[0] ?? 'user';
  return {
    systemSchema: source.member('system_schema') ?? schemas?.member('system')?.member('path'),
    userSchema: source.member('user_schema') ?? schemas?.member(message)?.member('path'),
    message,
  };
}

async function readSchema(named: Source | undefined, { read }: FunctionContext): Promise<JsonSchema | undefined> {
  if (typeof named?.scalar !== 'string') return undefined;
  const { name, text } = await read(named);
  try {
    return JSON.parse(text) as JsonSchema;
  } catch {
    throw new SourceError(`${named.place} ${name} is not JSON`);
  }
}

/** A variant with its original templates; names in them are not yet members of the input. */
interface Draft {
  readonly name: string;
  readonly source: Source;
  readonly system: Translation | undefined;
  readonly user: Translation | undefined;
}

async function readTemplates(
  name: string,
  source: Source,
  message: string,
  context: FunctionContext,
): Promise<Draft | undefined> {
  const { report, read, include } = context;
  const type = source.text('type') ?? 'chat_completion';
  if (type !== 'chat_completion') {
    report.notMapped(source, `a call asks one model once: there is no ${type}`);
    return undefined;
  }
  const templates = source.member('templates');
  const translate = async (old: string, current: string): Promise<Translation | undefined> => {
    const named = source.member(old) ?? templates?.member(current)?.member('path');
    return typeof named?.scalar === 'string' ? await translateTemplate(await read(named), include) : undefined;
  };
  try {
    const system = await translate('system_template', 'system');
    return { name, source, system, user: await translate(`${message}_template`, message) };
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    report.notMapped(source, error.message);
    return undefined;
  }
}

interface InputScope {
  readonly properties: JsonSchema;
  readonly hasSchema: boolean;
}

/** A variant whose settings Patchbay can express. */
interface ExpressedVariant {
  readonly name: string;
  readonly source: Source;
  readonly settings: Settings;
  readonly differences: readonly string[];
}

function expressDraft(
  { name, source, system, user }: Draft,
  names: Readonly<Record<string, string>>,
  { properties, hasSchema }: InputScope,
  { models, report }: FunctionContext,
): ExpressedVariant | undefined {
  const used = [...(system?.variables ?? []), ...(user?.variables ?? [])].map(
    (variable) => names[variable] ?? variable,
  );
  const unknown = used.find((variable) => !(variable in properties));
  const typeOf = (variable: string) => String((properties[variable] as JsonSchema)['type']);
  const differences: string[] = [];
  // Without a template, the message is the text that the caller sends; with a schema, it is the input as JSON.
  const message = user ?? (hasSchema ? undefined : { text: '{{input.text}}', variables: ['text'] });
  const prompts = { system: renamed(system, names), user: renamed(message, names) };
  const settings =
    unknown === undefined
      ? settingsOf(source, prompts, models, differences)
      : `its templates use ${unknown}, which no schema has`;
  if (typeof settings === 'string') {
    report.notMapped(source, settings);
    return undefined;
  }
  const lists = used.filter((variable) => ['array', 'object'].includes(typeOf(variable)));
  if (lists.length > 0) differences.push(`${lists.join(', ')}: inserted as compact JSON`);
  return { name, source, settings, differences };
}

function reportVariant({ source, differences }: ExpressedVariant, counterpart: string, report: Report): void {
  if (differences.length > 0) report.changed(source, [counterpart, ...differences].join('; '));
  else report.mapped(source, counterpart);
}

function renamed(
  translation: Translation | undefined,
  names: Readonly<Record<string, string>>,
): Translation | undefined {
  if (translation === undefined) return undefined;
  const text = Object.entries(names).reduce(
    (before, [name, own]) => before.replaceAll(`{{input.${name}}}`, `{{input.${own}}}`),
    translation.text,
  );
  return { ...translation, text };
}

/** Longest stem of a label, so that a number can be appended. */
const MAX_STEM = 36;

/** Variants by label: lower-case letters, digits and hyphens, a letter first. Calls go by `production`. */
function labelsOf(variants: readonly ExpressedVariant[]): ReadonlyMap<string, ExpressedVariant> {
  const labels = new Map<string, ExpressedVariant>();
  for (const variant of variants) {
    const plain = variant.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    const stem = (/^[a-z]/.test(plain) ? plain : `v-${plain}`).slice(0, MAX_STEM);
    labels.set(freeName(stem, new Set([...labels.keys(), 'production'])), variant);
  }
  return labels;
}

/** Reads the files that templates include, below the folder that the configuration allows. */
export function createInclude(base: Source | undefined, folder: string): FunctionContext['include'] {
  if (base === undefined) return undefined;
  const root = nextTo(base, String(base.take()));
  return async (name) => {
    const path = join(root, name);
    return { name: path, text: await readText(path, folder, base.place) };
  };
}
