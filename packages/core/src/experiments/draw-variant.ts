import { createHash } from 'node:crypto';
import type { ExperimentRow } from '../contracts/rows.ts';
import { allocationOf } from './allocate.ts';

/**
 * The settings version for a call.
 *
 * Weighted rendezvous hashing (Schindelhauer, Schomaker: "Weighted Distributed Hash Tables", SPAA 2005): calls about one
 * subject have the same version as long as the shares stay, and few subjects move when these change.
 *
 * @param subject Whom or what the call is about; undefined: the draw is random.
 */
export function drawVariant(row: ExperimentRow, subject: string | undefined, random: () => number): number {
  const { shares } = allocationOf(row);
  const distances = row.variants.map(({ version }, place) => {
    const uniform = subject === undefined ? random() : hashed(`${row.id}\n${version}\n${subject}`);
    return -Math.log(1 - uniform) / (shares[place] as number);
  });
  const nearest = distances.indexOf(Math.min(...distances));
  return (row.variants[nearest] as ExperimentRow['variants'][number]).version;
}

/** Uniform in [0, 1). */
function hashed(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
