/**
 * Runs inside of a box, with a worktree that someone else has written to: the only place where git looks at one. It
 * gets everything by its environment (which folders, and no setting but ours) and says what it found on standard
 * output, which nothing outside relies on without checking it.
 *
 * put COMMIT reset|resume   the worktree as that commit has it; `resume` leaves what git ignores
 * take COMMIT kept|fresh    what stands there as a tree: a line of JSON, then a pack of what is new of it. `fresh` asks
 * no index of before
 *
 * Submodules are recorded and left alone: while files are looked at the index has none of them, so git has no reason to
 * go into their folders, where a repository with settings of its own may lie.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'

const [verb, commit, how] = process.argv.slice(2)
const { GIT_WORK_TREE: worktree, GIT_INDEX_FILE: kept, GIT_OBJECT_DIRECTORY: objects } = process.env
const { SIGNALBOX_MOST_OF_A_FILE, SIGNALBOX_MOST_OF_ALL } = process.env
const excludes = path.join(path.dirname(kept), 'exclude')
const megabyte = 1024 * 1024

/** Something that the worktree may not hold. */
class Refused extends Error {}

function git(args, { input = '', index = kept, ignoring = false } = {}) {
  const ran = spawnSync('git', [...(ignoring ? ['-c', `core.excludesFile=${excludes}`] : []), ...args], {
    cwd: worktree,
    env: { ...process.env, GIT_INDEX_FILE: index },
    input,
    maxBuffer: 512 * megabyte,
  })
  if (ran.error) throw ran.error
  if (ran.status !== 0)
    throw new Error(
      `git ${args[0]}: ${ran.stderr.toString().trim() || `ended with ${ran.status ?? ran.signal}`}`,
    )
  return ran.stdout
}

/** Names may be any bytes; as latin1 they come back as they were. */
const fields = (bytes) => bytes.toString('latin1').split('\0').slice(0, -1)
const bytesOf = (latin1) => Buffer.from(latin1, 'latin1')
const shown = (latin1) => JSON.stringify(bytesOf(latin1).toString())

const submodulesIn = (tree) =>
  fields(git(['ls-tree', '-r', '-z', '--full-tree', tree])).flatMap((line) => {
    const [mode, , id] = line.split(/[ \t]/, 3)
    return mode === '160000' ? [{ id, name: line.slice(line.indexOf('\t') + 1) }] : []
  })

const withoutSubmodules = (submodules, index) =>
  submodules.length > 0 &&
  git(['update-index', '-z', '--force-remove', '--stdin'], {
    input: bytesOf(submodules.map(({ name }) => `${name}\0`).join('')),
    index,
  })

function put() {
  rmSync(`${kept}.lock`, { force: true })
  git(['read-tree', '--reset', '-u', commit])
  const submodules = submodulesIn(commit)
  const odd = submodules.find(({ name }) => name.includes('\n'))
  if (odd) throw new Refused(`The submodule ${shown(odd.name)} has a line break in its name.`)
  withoutSubmodules(submodules, kept)
  // Their folders go with whatever lies in them, and are there again, empty, as after any checkout.
  git(['clean', '--quiet', how === 'resume' ? '-ffd' : '-ffdx'])
  for (const { name } of submodules)
    mkdirSync(Buffer.concat([Buffer.from(`${worktree}/`), bytesOf(name)]), { recursive: true })
  const patterns = submodules.map(({ name }) => `/${name.replace(/[\\*?[\]!# ]/g, '\\$&')}/\n`)
  writeFileSync(excludes, bytesOf(patterns.join('')))
}

/** What is gone has none. */
function sizeOf(name) {
  try {
    return lstatSync(Buffer.concat([Buffer.from(`${worktree}/`), bytesOf(name)])).size
  } catch {
    return 0
  }
}

/** Before anything is stored: an agent can write more than a store should hold. */
function weigh(index) {
  const look = ['ls-files', '-z', '--others', '--modified', '--exclude-standard']
  let all = 0
  for (const name of fields(git(look, { index, ignoring: true }))) {
    if (name.endsWith('/')) throw new Refused(`${shown(name)} is a git repository of its own.`)
    const size = sizeOf(name)
    if (size > Number(SIGNALBOX_MOST_OF_A_FILE))
      throw new Refused(`${shown(name)} is larger than ${SIGNALBOX_MOST_OF_A_FILE / megabyte} MB.`)
    all += size
  }
  if (all > Number(SIGNALBOX_MOST_OF_ALL))
    throw new Refused(`What changed is larger than ${SIGNALBOX_MOST_OF_ALL / megabyte} MB.`)
}

function take() {
  const submodules = submodulesIn(commit)
  const index = how === 'fresh' ? `${kept}.fresh` : kept
  if (how === 'fresh') {
    rmSync(index, { force: true })
    // Not an empty one: what is tracked and ignored would be missing.
    git(['read-tree', commit], { index })
    withoutSubmodules(submodules, index)
  }
  weigh(index)
  git(['add', '--all', '--', '.'], { index, ignoring: true })
  const tree = writeTree(index, submodules)
  if (how === 'fresh') renameSync(index, kept)
  return tree
}

/** With the submodules as they were, but for those in whose place something else stands now. */
function writeTree(index, submodules) {
  const whole = `${kept}.whole`
  copyFileSync(index, whole)
  const taken = new Set(submodules.length > 0 ? fields(git(['ls-files', '-z'], { index })) : [])
  const lines = submodules
    .filter(({ name }) => !taken.has(name))
    .map(({ id, name }) => `160000 ${id} 0\t${name}\0`)
  if (lines.length > 0)
    git(['update-index', '-z', '--index-info'], { input: bytesOf(lines.join('')), index: whole })
  const tree = git(['write-tree'], { index: whole }).toString().trim()
  rmSync(whole)
  return tree
}

/** Everything that git has just written: it writes nothing that is there already. */
const fresh = () =>
  readdirSync(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(path.join(objects, name)).map((rest) => `${name}${rest}`))
    .filter((id) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id))

/** At once: what is printed after it comes from another process. */
const say = (what) => writeSync(1, `${JSON.stringify(what)}\n`)

try {
  if (verb === 'put') {
    put()
    say({ done: true })
  } else {
    const tree = take()
    const ids = fresh()
    say({ tree, objects: ids.length })
    if (ids.length > 0) {
      const packing = spawn('git', ['pack-objects', '--quiet', '--stdout', '--threads=1'], {
        cwd: worktree,
        stdio: ['pipe', 'inherit', 'inherit'],
      })
      packing.stdin.end(`${ids.join('\n')}\n`)
      packing.on('close', (code) => {
        process.exitCode = code ?? 1
      })
    }
  }
} catch (error) {
  say(error instanceof Refused ? { refused: error.message } : { failed: error.message })
}
