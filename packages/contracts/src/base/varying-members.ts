/** A list or an object as it was parsed. */
export type Copied = Record<string | number, unknown>;

/** Deeper documents are not compared: each level takes a stack frame. */
const LEVELS = 64;

/** A value that differs between documents that are alike. */
export type Varying = string | number;

/** A member or an item that varies. */
export interface VaryingMember {
  /** Undefined for items. */
  readonly name: string | undefined;
  /** Its location in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly value: Varying;
}

/** How to copy a list or an object of a document. */
export interface Plan {
  readonly isList: boolean;
  /** Lists and objects among its members. */
  readonly nested: readonly (readonly [step: string | number, plan: Plan])[];
  /** Members that vary, each with its position among all those of the document. */
  readonly varying: readonly (readonly [step: string | number, place: number])[];
}

/** A document, and how it resembled the one before. */
interface Compared {
  readonly document: Copied;
  readonly plan: Plan | undefined;
}

/**
 * How to copy documents that match two others in all but some strings and numbers; undefined if the two differ in more.
 *
 * @param found Receives the values that vary, in their order.
 */
export function planOf(
  { document: before, plan: known }: Compared,
  document: Copied,
  found: VaryingMember[],
  level = 0,
  pointer = '',
): Plan | undefined {
  if (level === LEVELS) return undefined;
  const isList = Array.isArray(document);
  const names = Object.keys(document);
  const others = Object.keys(before);
  if (Array.isArray(before) !== isList || names.length !== others.length) return undefined;
  const nested: [string | number, Plan][] = [];
  const varying: [string | number, number][] = [];
  for (const [index, name] of names.entries()) {
    if (name !== others[index]) return undefined;
    const step = isList ? index : name;
    const [one, value] = [before[step], document[step]];
    if (isCopied(value)) {
      if (!isCopied(one)) return undefined;
      const more = known?.nested.find(([each]) => each === step)?.[1];
      const plan = planOf({ document: one, plan: more }, value, found, level + 1, `${pointer}/${step}`);
      if (!plan) return undefined;
      nested.push([step, plan]);
    } else if (one !== value || known?.varying.some(([each]) => each === step)) {
      if (typeof one !== typeof value || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
      varying.push([step, found.length]);
      found.push({ name: isList ? undefined : name, pointer: `${pointer}/${step}`, value });
    }
  }
  return { isList, nested, varying };
}

/** A copy with other values in the places that vary. For every event of every stream. */
export function copyOf(document: Copied, { isList, nested, varying }: Plan, values: readonly Varying[]): Copied {
  const copy = isList ? ((document as unknown as unknown[]).slice() as unknown as Copied) : { ...document };
  for (let index = 0; index < nested.length; index += 1) {
    const [step, plan] = nested[index] as Plan['nested'][number];
    copy[step] = copyOf(document[step] as Copied, plan, values);
  }
  for (let index = 0; index < varying.length; index += 1) {
    const [step, place] = varying[index] as Plan['varying'][number];
    copy[step] = values[place];
  }
  return copy;
}

/** Whether two values were parsed from equivalent texts, member by member. */
export function isSame(one: unknown, other: unknown): boolean {
  if (!isCopied(one) || !isCopied(other)) return Object.is(one, other);
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== others.length) return false;
  return names.every((name, index) => name === others[index] && isSame(one[name], other[name]));
}

const isCopied = (value: unknown): value is Copied => typeof value === 'object' && value !== null;
