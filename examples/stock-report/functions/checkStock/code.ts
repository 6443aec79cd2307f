import { parse } from 'yaml';

interface Article {
  name: string;
  stock: number;
  minimum: number;
}

export default async function* checkStock({ inventory }: Input): AsyncGenerator<Yield> {
  const order: string[] = [];
  let checked = 0;
  for (const { name, stock, minimum } of parse(inventory) as Article[]) {
    checked += 1;
    if (stock < minimum) order.push(name);
    // A stream shows each; the last one is the output of the run.
    yield { checked, order };
  }
  console.log(`${order.length} of ${checked} articles have to be ordered`);
}
