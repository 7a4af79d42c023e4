import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Statement } from '@signalbox/contract/runner/evidence.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Box } from '../box/box.ts'
import { cleanIn } from '../box/clean.ts'
import { measureBox } from '../box/measure.ts'
import { Trash } from '../disk/trash.ts'
import { Spool } from '../spool/spool.ts'
import { plainGit, temporaryFolder, write } from '../test/origin.ts'
import { plainBox } from '../test/plain-box.ts'
import { type Came, reported, type Step, Workbench } from '../test/workbench.ts'

/**
 * What an agent, a gate or a repository leaves lying about for the runner itself to stumble over: outside of every box,
 * as the user that has the keys.
 */

const { box } = await measureBox()
// The runner does the same with and without a box; FAULTS=all (`npm run test:faults`) tries both.
const boxes: Box[] =
  box.isolation.backend === null ? [plainBox()] : process.env.FAULTS === 'all' ? [box, plainBox()] : [box]
const nameOf = ({ isolation }: Box) => isolation.backend ?? 'no box'

const gates = (run: string, more = '') => `gates:\n  - { name: test, run: ${run}${more} }\n`
const good: Step[] = [{ write: 'greeting.txt', text: 'Hello.\n' }]

/** Something of this machine's that no one gave to a run. */
function precious(folder: string): { folder: string; isUntouched(): boolean } {
  write(folder, { 'precious/keys': 'the keys', 'precious/deep/report.xml': 'a report' })
  const at = path.join(folder, 'precious')
  const picture = () =>
    readdirSync(at, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) =>
        name.includes('.') || name === 'keys' ? readFileSync(path.join(at, name), 'utf8') : name,
      )
      .join()
  const before = picture()
  return { folder: at, isUntouched: () => picture() === before }
}

/** Has the agent make a change, and verifies it. */
async function verified(bench: Workbench, steps: Step[], more: Partial<Order> = {}): Promise<Came> {
  const made = await bench.work(bench.order(more), { implement: [[...good, ...steps]] })
  const { work } = reported(made, 'change_ready')
  return bench.work(bench.order({ ...more, stage: 'verifying', base: work!.base, work: work! }))
}

for (const box of boxes) {
  const withGate = (t: TestContext, file: string, more = '') =>
    new Workbench(t, box, {
      'a.txt': 'a\n',
      'check.sh': 'true\n',
      '.kanman/gates.yml': gates(`sh ${file}`, more),
    })

  test(`a gate that links what the runner writes next to a file of the machine changes nothing there (${nameOf(box)})`, async (t) => {
    const bench = withGate(t, 'check.sh')
    const host = precious(bench.folder)
    const links = ['demonstrate.sh', '.bashrc', '.profile'].map(
      (name) => `ln -sf ${host.folder}/keys $HOME/${name}`,
    )
    const story = { ...bench.order().story, demonstrate: '```sh\necho shown\n```' }
    const came = await verified(bench, [{ write: 'check.sh', text: `${links.join('\n')}\n` }], { story })
    assert.match(reported(came, 'gates_ran').evidence.demonstration!, /shown/)
    assert.ok(host.isUntouched())
  })

  test(`a gate that puts a link where its reports are has nothing of the machine removed or read (${nameOf(box)})`, async (t) => {
    const bench = withGate(t, 'check.sh', ", report: junit, path: '**/*.xml'")
    const host = precious(bench.folder)
    const attack = [
      'set -e',
      `ln -s ${host.folder} reports`,
      `ln -s ${host.folder}/deep/report.xml report.xml`,
      `mkdir x; ln -s ${host.folder} x/y`,
      'echo linked',
    ]
    const came = await verified(bench, [{ write: 'check.sh', text: `${attack.join('\n')}\n` }])
    assert.match(came.log, /linked/)
    assert.ok(host.isUntouched())
    assert.ok(!JSON.stringify(came.reports).includes('a report'))
    // The folder of the next gate is a link by then.
    const folders = new Workbench(t, box, {
      'check.sh': 'true\n',
      'web/a.txt': 'a\n',
      '.kanman/gates.yml': `gates:\n  - { name: first, run: sh check.sh }\n  - { name: second, run: 'true', folder: web, report: junit, path: '**' }\n`,
    })
    const other = precious(folders.folder)
    await verified(folders, [{ write: 'check.sh', text: `rm -rf web; ln -s ${other.folder} web\n` }])
    assert.ok(other.isUntouched())
    // Committed, they are there before the gate runs.
    const committed = new Workbench(t, box, {
      '.kanman/gates.yml': gates('true', ", report: junit, path: '**'"),
    })
    const again = precious(committed.folder)
    const seed = path.join(committed.folder, 'seed')
    plainGit(committed.folder, ['clone', '--quiet', committed.origin, seed])
    symlinkSync(again.folder, path.join(seed, 'reports'))
    plainGit(seed, ['add', '--all'])
    plainGit(seed, ['commit', '--quiet', '-m', 'A link'])
    plainGit(seed, ['push', '--quiet', 'origin', 'main'])
    await verified(committed, [])
    assert.ok(again.isUntouched())
  })

  test(`a repository whose folder of specs is a link is refused in words, and nothing is made behind it (${nameOf(box)})`, async (t) => {
    for (const [link, target] of [
      ['.kanman', 'precious'],
      ['.kanman/acceptance', '../precious'],
    ] as const) {
      const bench = new Workbench(t, box, { 'a.txt': 'a\n' })
      const host = precious(bench.folder)
      const seed = path.join(bench.folder, 'seed')
      plainGit(bench.folder, ['clone', '--quiet', bench.origin, seed])
      mkdirSync(path.dirname(path.join(seed, link)), { recursive: true })
      symlinkSync(path.join(bench.folder, path.basename(target)), path.join(seed, link))
      plainGit(seed, ['add', '--all'])
      plainGit(seed, ['commit', '--quiet', '-m', 'A link'])
      plainGit(seed, ['push', '--quiet', 'origin', 'main'])
      const { failed } = await bench.work(bench.order(), { implement: [good] })
      assert.equal(
        failed?.message,
        `${link} is a link in this repository. Make it a folder: the acceptance spec cannot be protected behind anything else.`,
      )
      assert.ok(host.isUntouched())
    }
  })

  test(`nothing that one gate leaves in its home, or takes along, decides how the next is measured (${nameOf(box)})`, async (t) => {
    const plants = [
      'mkdir -p $HOME/.config/x $HOME/.local/lib/python3.11/site-packages $HOME/bin',
      'for f in .bashrc .profile .npmrc .gitconfig .config/x/y bin/test .local/lib/python3.11/site-packages/usercustomize.py; do echo planted > $HOME/$f; done',
    ]
    const looks =
      'find $HOME -type f ! -name "*.sock" | grep . && exit 1; env | cut -d= -f1 | sort | tr "\\n" " "'
    const bench = new Workbench(t, box, {
      'plant.sh': 'true\n',
      'look.sh': `${looks}\n`,
      '.kanman/gates.yml':
        'gates:\n  - { name: first, run: sh plant.sh }\n  - { name: second, run: sh look.sh }\n',
    })
    const came = await verified(bench, [{ write: 'plant.sh', text: `${plants.join('\n')}\n` }])
    const ran = reported(came, 'gates_ran')
    assert.deepEqual(
      ran.gates.map(({ name, result }) => [name, result]),
      [
        ['first', 'passed'],
        ['second', 'passed'],
      ],
      came.log,
    )
    const { payload } = JSON.parse(bench.text(ran.envelope!))
    const { predicate }: Statement = JSON.parse(Buffer.from(payload, 'base64').toString())
    const seen = bench.text(predicate.gates[1]!.log!).trim().split(' ')
    const known =
      /^(CI|HOME|LANG|NODE_OPTIONS|NO_COLOR|OLDPWD|PATH|PWD|PYTHON\w+|SHLVL|SIGNALBOX_\w+|TERM|TMPDIR|_)$/
    assert.deepEqual(
      seen.filter((name) => !known.test(name)),
      [],
      'the environment is listed, not inherited',
    )
  })
}

test('what a set-up has fetched is there for gates, and its settings are not', async (t) => {
  const setUp =
    'mkdir -p $HOME/.cargo/registry/x && echo crate > $HOME/.cargo/registry/x/y && echo evil > $HOME/.cargo/config.toml'
  const bench = new Workbench(t, boxes[0]!, {
    'set-up.sh': `${setUp}\n`,
    'look.sh': 'cat $HOME/.cargo/registry/x/y && test ! -e $HOME/.cargo/config.toml\n',
    '.kanman/gates.yml': 'setUp:\n  - { run: sh set-up.sh }\ngates:\n  - { name: look, run: sh look.sh }\n',
  })
  const came = await verified(bench, [])
  const { gates } = reported(came, 'gates_ran')
  assert.deepEqual(
    gates.map(({ name, result }) => [name, result]),
    [['look', 'passed']],
    came.log,
  )
})

test('folders whose rights an agent took do not keep the runner from starting, tidying up or working', async (t) => {
  const data = temporaryFolder(t)
  const said: string[] = []
  const trash = new Trash(path.join(data, 'trash'), cleanIn(boxes[0]!))
  const spool = new Spool(data, trash)
  const left = path.join(data, 'orders', 'run-aaa1.1', 'work', 'turn-1', 'out')
  write(left, { 'deep/er/x': 'x' })
  chmodSync(path.join(left, 'deep', 'er'), 0o000)
  chmodSync(path.join(left, 'deep'), 0o000)
  chmodSync(left, 0o000)
  await spool.tidy(new Date())
  said.push(...(await trash.empty()))
  assert.deepEqual(
    [readdirSync(path.join(data, 'orders')), readdirSync(path.join(data, 'trash')), said],
    [[], [], []],
  )
})

test('what the box cannot remove is removed by hand, and what cannot be moved stays where it was', async (t) => {
  const folder = temporaryFolder(t)
  const trash = new Trash(path.join(folder, 'trash'), async () => {
    throw new Error('the box did not start')
  })
  write(folder, { 'thing/x': 'x', 'other/y': 'y', file: '' })
  assert.ok(await trash.put(path.join(folder, 'thing')))
  assert.ok(await trash.put(path.join(folder, 'no such thing')))
  assert.deepEqual(await trash.empty(), [])
  const nowhere = new Trash(path.join(folder, 'file', 'trash'), async () => {})
  assert.equal(await nowhere.put(path.join(folder, 'other')), false)
  assert.deepEqual(await nowhere.empty(), [])
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'other', 'trash'])
})
