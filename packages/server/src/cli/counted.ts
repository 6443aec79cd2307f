/** A count with its noun in singular or plural: `1 key`, `2 keys`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
