/**
 * A name as one segment of a path.
 *
 * @throws TypeError for an empty name, `.` and `..`: URLs take these for folders, however they are written.
 */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`"${name}" is no name`);
  return encodeURIComponent(name);
}
