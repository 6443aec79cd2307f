/** `node:http` without `import`, which would read everything it exports and so load undici: 40 ms of every start. */
export const http = process.getBuiltinModule('node:http');
