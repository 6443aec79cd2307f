import { attempts, either, got, needsDeno, noSuchName, refused } from '../program-rows.ts';

const noAccess = refused('NotCapable|ERR_ACCESS_DENIED|EACCES');

/** The kernel's own files, under which every process and everything it holds can be reached. */
const byNode = attempts('files', noAccess, {
  '/proc/self/environ': `(await node('fs')).readFileSync('/proc/self/environ', 'utf8')`,
  '/proc/thread-self/environ': `(await node('fs')).readFileSync('/proc/thread-self/environ', 'utf8')`,
  '/proc/self/cmdline': `(await node('fs')).readFileSync('/proc/self/cmdline', 'utf8')`,
  '/proc/self/maps': `(await node('fs')).readFileSync('/proc/self/maps', 'utf8')`,
  '/proc/self/mem': `(await node('fs')).openSync('/proc/self/mem', 'r+')`,
  '/proc/self/mountinfo': `(await node('fs')).readFileSync('/proc/self/mountinfo', 'utf8')`,
  '/proc/self/status': `(await node('fs')).readFileSync('/proc/self/status', 'utf8')`,
  '/proc/self/net/tcp': `(await node('fs')).readFileSync('/proc/self/net/tcp', 'utf8')`,
  '/proc/net/unix, with the paths of all sockets': `(await node('fs')).readFileSync('/proc/net/unix', 'utf8')`,
  '/proc/self/task': `(await node('fs')).readdirSync('/proc/self/task')`,
  '/proc/self/fd': `(await node('fs')).readdirSync('/proc/self/fd')`,
  '/proc/self/fdinfo': `(await node('fs')).readFileSync('/proc/self/fdinfo/3', 'utf8')`,
  '/proc/self/exe': `(await node('fs')).readFileSync('/proc/self/exe').length`,
  '/proc/self/oom_score_adj': `(await node('fs')).writeFileSync('/proc/self/oom_score_adj', '-1000')`,
  '/proc/self/clear_refs': `(await node('fs')).writeFileSync('/proc/self/clear_refs', '1')`,
  'the environment of the canary process': `(await node('fs')).readFileSync('/proc/' + canary.pid + '/environ', 'utf8')`,
  'the command line of the canary process': `(await node('fs')).readFileSync('/proc/' + canary.pid + '/cmdline', 'utf8')`,
  'the memory of the canary process': `(await node('fs')).openSync('/proc/' + canary.pid + '/mem')`,
  'the working folder of the canary process': `(await node('fs')).readdirSync('/proc/' + canary.pid + '/cwd')`,
  'an open file of the canary process': `(await node('fs')).readFileSync('/proc/' + canary.pid + '/fd/3', 'utf8')`,
  'the environment of the host': `(await node('fs')).readFileSync('/proc/' + canary.host + '/environ', 'utf8')`,
  'the open files of the host': `(await node('fs')).readdirSync('/proc/' + canary.host + '/fd')`,
  'the environment of init': `(await node('fs')).readFileSync('/proc/1/environ', 'utf8')`,
  'the command lines of all processes': `(await node('fs')).readdirSync('/proc').filter((name) => /^\\d+$/.test(name))`,
  'kernel settings': `(await node('fs')).openSync('/proc/sys/kernel/core_pattern', 'r+')`,
  'the trigger of the kernel': `(await node('fs')).writeFileSync('/proc/sysrq-trigger', 'h')`,
  'control groups': `(await node('fs')).readdirSync('/sys/fs/cgroup')`,
  'shared memory': `(await node('fs')).writeFileSync('/dev/shm/patchbay', 'x')`,
  'random numbers as a file': `(await node('fs')).readFileSync('/dev/urandom').length`,
  'endless zeros': `(await node('fs')).readFileSync('/dev/zero').length`,
  'the disk': `(await node('fs')).openSync('/dev/vda')`,
  'physical memory': `(await node('fs')).openSync('/dev/mem')`,
  'the terminal of the host': `(await node('fs')).writeFileSync('/dev/tty', 'x')`,
  'a virtual machine': `(await node('fs')).openSync('/dev/kvm')`,
  'a file system in user space': `(await node('fs')).openSync('/dev/fuse', 'r+')`,
});

const byDeno = attempts(
  'files',
  noSuchName,
  {
    'Deno: /proc/self/environ': `Deno.readTextFileSync('/proc/self/environ')`,
    'Deno: the environment of the canary process': `Deno.readTextFileSync('/proc/' + canary.pid + '/environ')`,
    'Deno: the environment of the host': `Deno.readTextFileSync('/proc/' + canary.host + '/environ')`,
    'Deno: /proc/self/mem': `Deno.openSync('/proc/self/mem', { read: true, write: true })`,
    'Deno: /dev/fd/3': `Deno.openSync('/dev/fd/3', { read: true, write: true })`,
    'Deno: /dev/stdin': `Deno.readTextFileSync('/dev/stdin')`,
    'Deno: /dev/shm': `Deno.writeTextFileSync('/dev/shm/patchbay', 'x')`,
    'Deno: kernel settings': `Deno.openSync('/proc/sys/kernel/core_pattern', { write: true })`,
    'Deno: the trigger of the kernel': `Deno.writeTextFileSync('/proc/sysrq-trigger', 'h')`,
    'Deno: control groups': `Deno.mkdirSync('/sys/fs/cgroup/patchbay')`,
  },
  needsDeno,
);

/** Numbers of open files need no permission. What is open is the business of the tests of forged results. */
const byNumber = attempts(
  'files',
  either(
    refused(
      'EBADF|ERR_INVALID_FD_TYPE|ENOTTY|EINVAL|ERR_INVALID_FD|BadResource|NotCapable|ERR_ACCESS_DENIED|TypeError|EACCES',
    ),
    got([]),
  ),
  {
    'reading every number from 3 on': `{ const fs = await node('fs'); const read = []; for (let fd = 3; fd < 256; fd++) { try { const bytes = new Uint8Array(64); if (fs.readSync(fd, bytes) > 0) read.push(fd); } catch {} } return read; }`,
    'asking every number for its kind': `{ const fs = await node('fs'); const known = []; for (let fd = 3; fd < 256; fd++) { try { fs.fstatSync(fd); known.push(fd); } catch {} } return known; }`,
    'changing the mode of an open file': `(await node('fs')).fchmodSync(3, 0o777)`,
    'cutting an open file': `(await node('fs')).ftruncateSync(3)`,
    'a write stream on a number': `await once((await node('fs')).createWriteStream('', { fd: 7 }).end('x'), 'finish')`,
    'a socket on a number': `new (await node('net')).Socket({ fd: 5 }).readyState`,
    'a pipe on a number': `{ const { Pipe } = (await node('process')).binding('pipe_wrap'); const pipe = new Pipe(0); const code = pipe.open(5); const started = code || pipe.readStart(); if (started !== 0) throw Object.assign(new Error(started), { code: 'EBADF' }); return started; }`,
    'a terminal on a number': `new (await node('tty')).ReadStream(3).isTTY`,
  },
);

export const devices = [...byNode, ...byDeno, ...byNumber];
