const flags = /\(\?[A-Za-z-]+\)/y;
const repetition = /\{(\d+)(,(\d*))?\}/y;

/**
 * An upper bound for the number of steps that a pattern in RE2 syntax compiles to, found without compiling it: 500
 * characters with repetitions can ask for 70,000 steps, which takes a third of a second.
 *
 * If the pattern is not valid, the number means nothing; the compiler rejects it.
 */
export function patternSize(pattern: string): number {
  /** Sizes of what precedes each open group. */
  const outer: number[] = [];
  let size = 2;
  /** Size of the part that a repetition would repeat. */
  let last = 0;
  const add = (steps: number): void => {
    size += steps;
    last = steps;
  };
  for (let index = 0; index < pattern.length; index += 1) {
    switch (pattern[index]) {
      case '\\': {
        if (pattern[index + 1] === 'Q') {
          const end = pattern.indexOf('\\E', index + 2);
          size += (end < 0 ? pattern.length : end) - index;
          last = 1;
          index = end < 0 ? pattern.length : end + 1;
        } else {
          add(1);
          index = endOfEscape(pattern, index);
        }
        break;
      }
      case '[':
        add(1);
        index = endOfClass(pattern, index);
        break;
      case '(':
        flags.lastIndex = index;
        if (flags.test(pattern)) {
          // A repetition after flags repeats what precedes them.
          size += 1;
          index = flags.lastIndex - 1;
          break;
        }
        outer.push(size);
        size = 0;
        last = 0;
        break;
      case ')': {
        const group = size + 3;
        size = outer.pop() ?? 0;
        add(group);
        break;
      }
      case '|':
        size += 2;
        last = 0;
        break;
      case '*':
      case '+':
      case '?':
        size += 2;
        last += 2;
        break;
      case '{': {
        repetition.lastIndex = index;
        const [text, least, open, most] = repetition.exec(pattern) ?? [];
        if (text === undefined) {
          add(1);
          break;
        }
        const optional = open === undefined ? 0 : Math.max(1, Number(most) - Number(least));
        size -= last;
        add(last * Number(least) + (last + 1) * optional + 2);
        index += text.length - 1;
        break;
      }
      default:
        add(1);
    }
  }
  return size;
}

/** Index of the last character of the escape that begins at `start`: `\d`, `\pL`, `\p{Greek}`, `\x{10FFFF}`. */
function endOfEscape(pattern: string, start: number): number {
  const [text = '\\'] = /^\\(?:[pPx]\{[^}]*\}|.)/su.exec(pattern.slice(start)) ?? [];
  return start + text.length - 1;
}

/** Index of the bracket that closes the class that begins at `start`. */
function endOfClass(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === '^') index += 1;
  // A closing bracket that comes first is a member.
  if (pattern[index] === ']') index += 1;
  while (index < pattern.length && pattern[index] !== ']') {
    if (pattern[index] === '\\') index = endOfEscape(pattern, index);
    else if (pattern.startsWith('[:', index)) index = Math.max(index, pattern.indexOf(':]', index) + 1);
    index += 1;
  }
  return index;
}
