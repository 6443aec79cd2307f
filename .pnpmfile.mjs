// The node-<platform> packages state `os` and `cpu` as plain strings, but pnpm reads lists only:
// without this hook it would install the Node of every platform.
const asList = (value) => (typeof value === 'string' ? [value] : value);

export const hooks = {
  readPackage(manifest) {
    if (/^node-(linux|win)-/.test(manifest.name)) {
      manifest.os = asList(manifest.os);
      manifest.cpu = asList(manifest.cpu);
    }
    return manifest;
  },
};
