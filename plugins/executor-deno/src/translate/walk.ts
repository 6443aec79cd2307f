import type { Node, Program } from 'oxc-parser';

/** Every node of a syntax tree, without recursion: a tree may be as deep as its text is long. */
export function* nodesOf(program: Program): Generator<Node> {
  const open: object[] = [program];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isNode(value)) yield value;
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null && !(member instanceof RegExp)) open.push(member);
    }
  }
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value;
}
