import { attempts, needsDeno, noSuchName, refused } from '../program-rows.ts';

/** Storage of browsers that Deno offers without any permission. */
const web = attempts(
  'files',
  noSuchName,
  {
    localStorage: `localStorage.setItem('x', 'y')`,
    'the cache of responses': `await (await caches.open('x')).put('https://x.example/', new Response('y'))`,
    'Deno.openKv in its default place': `await Deno.openKv()`,
  },
  {
    expectedWithGlobals: refused(
      'NotCapable|TypeError|Error|NotSupportedError|NotSupported|ENOTDIR|NotADirectory|QuotaExceededError|EROFS',
    ),
  },
);

const temporary = attempts(
  'files',
  noSuchName,
  { 'Deno.makeTempFile beside its own files': `await Deno.makeTempFile({ dir: Deno.env.get('DENO_DIR') })` },
  needsDeno,
);

const databases = attempts(
  'files',
  refused('NotCapable|ERR_ACCESS_DENIED|ERR_SQLITE_ERROR|UVWASI_ENOENT|Error|TypeError'),
  {
    'a database in a file': `new (await node('sqlite')).DatabaseSync(canary.folder + '/x.db')`,
    'a database in the file of another': `new (await node('sqlite')).DatabaseSync(canary.shared).prepare('select 1').get()`,
    'a database by a file URL': `new (await node('sqlite')).DatabaseSync('file:' + canary.shared + '?mode=ro')`,
    'a file attached to a database in memory': `new (await node('sqlite')).DatabaseSync(':memory:').exec("attach '" + canary.folder + "/x.db' as x")`,
    'a database written by VACUUM INTO': `new (await node('sqlite')).DatabaseSync(':memory:').exec("create table x (y); vacuum into '" + canary.folder + "/x.db'")`,
    'an extension of the database': `{ const { DatabaseSync } = await node('sqlite'); return new DatabaseSync(':memory:', { allowExtension: true }).loadExtension(canary.folder + '/x.so'); }`,
    'an extension by SQL': `new (await node('sqlite')).DatabaseSync(':memory:', { allowExtension: true }).exec("select load_extension('/tmp/x.so')")`,
    'a file read by a function of SQL': `new (await node('sqlite')).DatabaseSync(':memory:').prepare('select readfile(?) as x').get(canary.shared)`,
    'a file written by a function of SQL': `new (await node('sqlite')).DatabaseSync(':memory:').prepare("select writefile(?, 'x') as x").get(canary.folder + '/new')`,
    'a file as a virtual table': `new (await node('sqlite')).DatabaseSync(':memory:').exec("create virtual table x using csv(filename='" + canary.shared + "')")`,
    'a backup of a database to a file': `{ const { backup, DatabaseSync } = await load('node:sqlite').then(() => node('sqlite')); return await backup(new DatabaseSync(':memory:'), canary.folder + '/x.db'); }`,
    'a folder of a WebAssembly system': `{ const { WASI } = await node('wasi'); return new WASI({ version: 'preview1', preopens: { '/': '/' } }).start({}); }`,
  },
);

export const storage = [...web, ...temporary, ...databases];
