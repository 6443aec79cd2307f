/** Weights of terms; of length 1 unless empty. */
export type TermVector = ReadonlyMap<string, number>;

/** Makes vectors in which terms count that few of the documents have. */
export function createVectorizer(documents: readonly (readonly string[])[]): (terms: readonly string[]) => TermVector {
  const documentsWith = new Map<string, number>();
  for (const terms of documents) {
    for (const term of new Set(terms)) documentsWith.set(term, (documentsWith.get(term) ?? 0) + 1);
  }
  return (terms) => {
    const vector = new Map<string, number>();
    for (const term of terms) {
      const rarity = Math.log(1 + documents.length / (documentsWith.get(term) ?? 1));
      vector.set(term, (vector.get(term) ?? 0) + rarity);
    }
    return normalized(vector);
  };
}

export function centroid(vectors: readonly TermVector[]): TermVector {
  const sum = new Map<string, number>();
  for (const vector of vectors) {
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  }
  return normalized(sum);
}

/** 0 where they share nothing, 1 where they are the same. */
export function similarity(one: TermVector, other: TermVector): number {
  let sum = 0;
  for (const [term, weight] of one) sum += weight * (other.get(term) ?? 0);
  return sum;
}

function normalized(vector: ReadonlyMap<string, number>): TermVector {
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0));
  return new Map([...vector].map(([term, weight]) => [term, weight / length]));
}
