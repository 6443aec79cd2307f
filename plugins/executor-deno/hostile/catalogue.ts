import type { HostileProgram } from './hostile-program.ts';
import { bundles } from './programs/bundles.ts';
import { contextMisuse } from './programs/context-misuse.ts';
import { devices } from './programs/devices.ts';
import { endings } from './programs/endings.ts';
import { environment } from './programs/environment.ts';
import { filesByDeno } from './programs/files-by-deno.ts';
import { filesByImport } from './programs/files-by-import.ts';
import { filesByNode } from './programs/files-by-node.ts';
import { floods } from './programs/floods.ts';
import { forgedFrames } from './programs/forged-frames.ts';
import { generatorPrograms } from './programs/generators.ts';
import { hiddenImports } from './programs/hidden-imports.ts';
import { introspection, removedNames } from './programs/introspection.ts';
import { logLines } from './programs/log-lines.ts';
import { networkByDeno } from './programs/network-by-deno.ts';
import { networkByNode } from './programs/network-by-node.ts';
import { networkByWeb } from './programs/network-by-web.ts';
import { outputValues } from './programs/output-values.ts';
import { patchedPrototypes } from './programs/patched-prototypes.ts';
import { persistence } from './programs/persistence.ts';
import { processesByDeno } from './programs/processes-by-deno.ts';
import { processesByNode } from './programs/processes-by-node.ts';
import { realm } from './programs/realm.ts';
import { remoteImports } from './programs/remote-imports.ts';
import { resourcesOfCpu } from './programs/resources-of-cpu.ts';
import { resourcesOfMemory } from './programs/resources-of-memory.ts';
import { storage } from './programs/storage.ts';

/** Every hostile program. */
export const catalogue: readonly HostileProgram[] = [
  ...filesByDeno,
  ...filesByNode,
  ...devices,
  ...storage,
  ...filesByImport,
  ...hiddenImports,
  ...remoteImports,
  ...environment,
  ...networkByWeb,
  ...networkByDeno,
  ...networkByNode,
  ...processesByDeno,
  ...processesByNode,
  ...introspection,
  ...removedNames,
  ...resourcesOfCpu,
  ...resourcesOfMemory,
  ...floods,
  ...endings,
  ...outputValues,
  ...forgedFrames,
  ...patchedPrototypes,
  ...logLines,
  ...realm,
  ...persistence,
  ...contextMisuse,
  ...generatorPrograms,
  ...bundles,
];
