import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

/**
 * Every call of the runner's to a file system, by the file it is made in. What an agent, a gate or a repository can
 * write to is reached through `disk/held-folder.ts` alone, or inside of a box; each line here says why what it reaches
 * is neither. A new call has to be added here, too.
 */
const calls: Record<string, [why: string, ...names: string[]]> = {
  'acceptance/demonstrate.ts': ['looks for a browser on the PATH', 'accessSync', 'constants'],
  'agents/find.ts': [
    'where the operator has installed agents',
    ...['existsSync', 'readFileSync', 'realpathSync', 'statSync'],
  ],
  'agents/installed.ts': [
    'where the operator has installed agents',
    ...['accessSync', 'closeSync', 'constants', 'openSync', 'readSync', 'realpathSync'],
  ],
  'agents/question-watch.ts': [
    'is told that something changed in a result folder, and opens nothing',
    'watch',
  ],
  'agents/scripted.ts': ['a script of the operator’s', 'readFileSync'],
  'agents/sign-in.ts': ['the operator’s own sign-in', 'readFileSync'],
  'box/bare.ts': ['/proc', 'readdirSync', 'readFileSync'],
  'box/bubblewrap.ts': [
    '/proc, and the roots of the system',
    'existsSync',
    'lstatSync',
    'readFileSync',
    'readlinkSync',
    'realpathSync',
  ],
  'box/host-programs.ts': ['where programs of the machine’s own are', 'realpathSync'],
  'box/cgroups.ts': [
    'cgroups of the kernel, below its own',
    ...['mkdirSync', 'readdirSync', 'readFileSync', 'rmdirSync', 'writeFileSync'],
  ],
  'box/exposure.ts': [
    'folders that the operator would have bound, before anything is',
    ...['existsSync', 'lstatSync', 'readdirSync', 'readFileSync', 'realpathSync'],
  ],
  'box/gvisor.ts': [
    'a bundle of ours, made for one start',
    ...['existsSync', 'mkdirSync', 'mkdtempSync', 'rmSync', 'statSync', 'symlinkSync', 'writeFileSync'],
  ],
  'box/hand-over.ts': [
    'gives what a box may write to its owner: folders by their handles, links as themselves',
    ...['closeSync', 'constants', 'fstatSync', 'lchownSync', 'lstatSync', 'openSync', 'readdirSync'],
  ],
  'box/kill-box.ts': ['/proc', 'readFileSync'],
  'box/launch.ts': ['a place of root’s where sources are shown', 'existsSync', 'mkdirSync'],
  'box/measure.ts': [
    'a folder made to be attacked, with nothing in it',
    ...['chmod', 'existsSync', 'lstatSync', 'readdirSync', 'readFileSync', 'mkdir', 'mkdtemp', 'readFile'],
    ...['rm', 'writeFile'],
  ],
  'box/owner.ts': ['whether folders above a source let somebody pass', 'statSync'],
  'box/resource-limits.ts': [
    '/proc, and how large what lies in memory is',
    ...['readdirSync', 'readFileSync', 'readlinkSync', 'statfsSync', 'statSync'],
  ],
  'box/wait-for-exit.ts': ['/proc', 'readFileSync'],
  'disk/held-folder.ts': [
    'the one way to what others can write to',
    ...[
      'chmodSync',
      'closeSync',
      'constants',
      'existsSync',
      'fstatSync',
      'lstatSync',
      'mkdirSync',
      'openSync',
    ],
    ...['readdirSync', 'readlinkSync', 'readSync', 'renameSync', 'rmdirSync', 'unlinkSync', 'writeSync'],
  ],
  'disk/trash.ts': ['the trash itself, a folder of ours: only the names in it', 'mkdir', 'readdir'],
  'disk/write-atomically.ts': [
    'files of ours',
    'closeSync',
    'fsyncSync',
    'openSync',
    'renameSync',
    'writeSync',
  ],
  'doctor/git-facts.ts': ['whether the operator’s folders can be opened', 'accessSync', 'constants'],
  'doctor/machine.ts': [
    'this machine, and the data folder',
    'existsSync',
    'mkdirSync',
    'readFileSync',
    'statfsSync',
  ],
  'equipment.ts': ['the data folder: names, and when they were used', 'readFileSync', 'lstat', 'readdir'],
  'gates/base-runs.ts': [
    'what gates came to, in files of ours',
    ...['mkdir', 'readdir', 'readFile', 'rename', 'rm', 'stat', 'utimes', 'writeFile'],
  ],
  'gateway/gateway.ts': ['a folder for a socket, which is bound alone', 'rm'],
  'gateway/connect-proxy.ts': ['a folder for a socket, which is bound alone', 'rm'],
  'gateway/socket-folder.ts': ['a folder for a socket, which is bound alone', 'mkdtemp'],
  'git/bundle.ts': ['a file from the server, in a folder of the order’s that no box has', 'readFile'],
  'git/pool.ts': ['names of worktrees, and the mark beside each', 'mkdir', 'readdir', 'writeFile'],
  'git/reach.ts': ['folders that the operator allows', 'realpath'],
  'git/run-repository.ts': [
    'objects that git outside of any box has written',
    ...['mkdir', 'readdir', 'rename', 'rm', 'stat', 'writeFile'],
  ],
  'git/store.ts': [
    'the store, which boxes are shown read-only',
    ...['existsSync', 'mkdir', 'readdir', 'rename', 'rm', 'stat', 'utimes', 'writeFile'],
  ],
  'git/tree-box.ts': ['a folder for new objects, made beside the worktree', 'mkdir'],
  'git/worktree.ts': ['the mark beside a worktree', 'mkdir', 'readFile', 'stat', 'utimes', 'writeFile'],
  'identity/identity.ts': ['who this runner is', 'existsSync', 'mkdirSync', 'readFileSync'],
  'identity/lock.ts': [
    'the lock of the data folder',
    ...['linkSync', 'mkdirSync', 'readFileSync', 'renameSync', 'rmSync', 'writeFileSync'],
  ],
  'images/images.ts': [
    'what is known of images, in files of ours; what is in an image is unpacked and looked at elsewhere',
    ...['mkdir', 'readdir', 'readFile', 'rm', 'stat', 'utimes', 'writeFile'],
  ],
  'images/podman.ts': [
    'folders that podman is given, and files of the operator’s that it is told of',
    ...['existsSync', 'lchownSync', 'mkdirSync', 'readFileSync', 'realpathSync', 'statfsSync'],
  ],
  'orders/held-order.ts': [
    'the folder of an order, of which boxes get parts',
    'mkdirSync',
    'readFile',
    'writeFile',
  ],
  'orders/marked-processes.ts': ['/proc', 'readdirSync', 'readFileSync'],
  'programs/own-program.ts': [
    'programs of ours, written out below the data folder',
    ...['chmodSync', 'mkdirSync', 'mkdtempSync', 'readFileSync'],
  ],
  'runner.ts': ['how much room is on the disk', 'statfsSync'],
  'spool/journal.ts': [
    'what is to be told, in files of ours',
    ...[
      'closeSync',
      'fstatSync',
      'fsyncSync',
      'ftruncateSync',
      'openSync',
      'readFileSync',
      'readSync',
      'writeSync',
    ],
  ],
  'spool/order-spool.ts': ['what is to be told, in files of ours', 'mkdirSync', 'readFileSync'],
  'spool/spool.ts': ['what is to be told, in files of ours', 'mkdirSync', 'readdirSync', 'readFileSync'],
  'work/gate-box.ts': ['makes a place for a command', 'mkdir'],
  'work/site.ts': [
    'where a run was stopped, in files of ours',
    'mkdir',
    'readFile',
    'rename',
    'rm',
    'writeFile',
  ],
  'work/spec.ts': ['a file from the server, in a folder of the order’s that no box has', 'readFile'],
  'work/turn.ts': [
    'makes the home and the result folder, and notes when the folder above was used',
    'mkdir',
    'utimes',
  ],
}

const root = path.join(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: root, exclude: ['**/node_modules', 'dist'] })
  // What is in the escapes is text: it runs inside of a box, to find out whether that holds.
  .filter((file) => !/\.test\.ts$|^(test|conformance)\/|^(build|bundle|box\/escapes)\.ts$/.test(file))
  .sort()

const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')

test('every call to the file system is known, with why it reaches nothing that others can write to', () => {
  const found = Object.fromEntries(
    sources.flatMap((file) => {
      const names = [...textOf(file).matchAll(/import (type )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g)]
        .filter(([, isType]) => !isType)
        .flatMap(([, , list]) => list!.split(',').map((name) => name.trim()))
        .filter((name) => name !== '' && !name.startsWith('type '))
      return names.length > 0 ? [[file, names.sort()]] : []
    }),
  )
  const known = Object.fromEntries(Object.entries(calls).map(([file, [, ...names]]) => [file, names.sort()]))
  assert.deepEqual(found, known)
})

test('there is no other way to the file system', () => {
  const ways =
    /import \w+ from 'node:fs|import \* as|import\('node:fs|require\(|createRequire|process\.(binding|getBuiltinModule)/
  assert.deepEqual(
    sources.filter((file) => ways.test(textOf(file))),
    [],
  )
})

test('a program that looks at a worktree is started in a box', () => {
  assert.deepEqual(
    sources.filter((file) => textOf(file).includes("from 'node:child_process'")),
    [
      'box/bare.ts',
      'box/bubblewrap.ts',
      'box/gvisor.ts',
      // Which libraries programs of the machine's own need.
      'box/host-programs.ts',
      // Of a box it knows only the process.
      'box/kill-box.ts',
      // What this machine offers to keep programs in.
      'box/launch.ts',
      'box/measure.ts',
      'box/owner.ts',
      'box/resource-limits.ts',
      'doctor/machine.ts',
      // How much a store takes, by names and sizes alone.
      'git/garbage.ts',
      // Has no worktree to look at: what it is given has no place for one.
      'git/run.ts',
      // Where git is installed.
      'git/tree-box.ts',
      // In a box of its own.
      'images/podman.ts',
    ],
  )
})
