import { attempts, either, got, refused } from '../program-rows.ts';

const expected = refused('NotCapable|ERR_ACCESS_DENIED|EACCES');

const reading = attempts('files', expected, {
  'node:fs readFileSync of a private file': `(await node('fs')).readFileSync(canary.private, 'utf8')`,
  'node:fs readFileSync of a shared file': `(await node('fs')).readFileSync(canary.shared, 'utf8')`,
  'node:fs readFileSync of a file in the home folder': `(await node('fs')).readFileSync(canary.home, 'utf8')`,
  'node:fs readFileSync of /etc/shadow': `(await node('fs')).readFileSync('/etc/shadow', 'utf8')`,
  'node:fs readFile with a callback': `{ const fs = await node('fs'); return await call((done) => fs.readFile(canary.shared, 'utf8', done)); }`,
  'node:fs/promises readFile': `await (await node('fs/promises')).readFile(canary.shared, 'utf8')`,
  'node:fs/promises open': `await (await node('fs/promises')).open(canary.shared)`,
  'node:fs openSync': `(await node('fs')).openSync(canary.shared)`,
  'node:fs openAsBlob': `await (await (await node('fs')).openAsBlob(canary.shared)).text()`,
  'node:fs createReadStream': `await once((await node('fs')).createReadStream(canary.shared, 'utf8'), 'data')`,
  'node:fs readdirSync of the root': `(await node('fs')).readdirSync('/')`,
  'node:fs readdirSync, recursive': `(await node('fs')).readdirSync(canary.folder, { recursive: true })`,
  'node:fs opendirSync': `(await node('fs')).opendirSync('/tmp').readSync().name`,
  'node:fs statSync': `(await node('fs')).statSync(canary.shared).size`,
  'node:fs lstatSync of a link': `(await node('fs')).lstatSync('/proc/self/exe').mode`,
  'node:fs statfsSync': `(await node('fs')).statfsSync('/').blocks`,
  'node:fs accessSync': `(await node('fs')).accessSync(canary.shared)`,
  'node:fs readlinkSync': `(await node('fs')).readlinkSync('/proc/self/exe')`,
  'node:fs realpathSync': `(await node('fs')).realpathSync('.')`,
  'node:fs watch': `await once((await node('fs')).watch(canary.folder), 'change')`,
  'node:fs globSync': `(await node('fs')).globSync('/tmp/*')`,
  'node:fs cpSync': `(await node('fs')).cpSync(canary.shared, '/tmp/patchbay-stolen')`,
  'node:fs with a URL': `(await node('fs')).readFileSync(new URL('file://' + canary.shared), 'utf8')`,
  'node:fs with a path of bytes': `(await node('fs')).readFileSync((await node('buffer')).Buffer.from(canary.shared), 'utf8')`,
  'node:process loadEnvFile': `(await node('process')).loadEnvFile(canary.shared)`,
  'node:tls with a file of certificates': `(await node('fs')).readFileSync('/etc/ssl/certs/ca-certificates.crt').length`,
});

const existence = attempts('files', either(got(false), expected), {
  'node:fs existsSync of a file that exists': `(await node('fs')).existsSync(canary.shared)`,
  'node:fs existsSync of the own program': `(await node('fs')).existsSync('/proc/self/exe')`,
});

const writing = attempts('files', expected, {
  'node:fs writeFileSync over a private file': `(await node('fs')).writeFileSync(canary.private, 'overwritten')`,
  'node:fs writeFileSync over a shared file': `(await node('fs')).writeFileSync(canary.shared, 'overwritten')`,
  'node:fs/promises writeFile of a new file': `await (await node('fs/promises')).writeFile(canary.folder + '/new', 'x')`,
  'node:fs appendFileSync': `(await node('fs')).appendFileSync(canary.shared, 'x')`,
  'node:fs createWriteStream': `await once((await node('fs')).createWriteStream(canary.shared), 'open')`,
  'node:fs truncateSync': `(await node('fs')).truncateSync(canary.shared)`,
  'node:fs rmSync': `(await node('fs')).rmSync(canary.folder, { recursive: true, force: true })`,
  'node:fs unlinkSync': `(await node('fs')).unlinkSync(canary.shared)`,
  'node:fs rmdirSync': `(await node('fs')).rmdirSync(canary.folder)`,
  'node:fs renameSync': `(await node('fs')).renameSync(canary.shared, canary.shared + '.stolen')`,
  'node:fs copyFileSync': `(await node('fs')).copyFileSync(canary.private, '/tmp/patchbay-stolen')`,
  'node:fs mkdirSync': `(await node('fs')).mkdirSync(canary.folder + '/made')`,
  'node:fs mkdtempSync': `(await node('fs')).mkdtempSync('/tmp/patchbay-made-')`,
  'node:fs chmodSync': `(await node('fs')).chmodSync(canary.private, 0o777)`,
  'node:fs chownSync': `(await node('fs')).chownSync(canary.private, 65534, 65534)`,
  'node:fs lchownSync': `(await node('fs')).lchownSync(canary.private, 65534, 65534)`,
  'node:fs utimesSync': `(await node('fs')).utimesSync(canary.shared, 0, 0)`,
  'node:fs linkSync': `(await node('fs')).linkSync(canary.private, canary.folder + '/link')`,
  'node:fs symlinkSync': `(await node('fs')).symlinkSync(canary.private, canary.folder + '/symlink')`,
  'node:process chdir': `(await node('process')).chdir('/tmp')`,
  'node:v8 writeHeapSnapshot': `(await node('v8')).writeHeapSnapshot(canary.folder + '/heap')`,
});

export const filesByNode = [...reading, ...existence, ...writing];
