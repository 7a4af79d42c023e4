import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { measureBox } from '../box/measure.ts'
import { execute, type Room } from '../gates/execute.ts'
import { storeOf } from '../test/origin.ts'
import { demonstrate } from './demonstrate.ts'
import { proveRed } from './prove.ts'

const { store, base, folder } = await storeOf({ after }, { 'a.txt': 'a\n' })
const place = { home: path.join(folder, 'home'), out: null }
mkdirSync(place.home)

const boxes = [(await measureBox()).box, (await measureBox({ without: ['bubblewrap'] })).box]
const command = { folder: '.', timeoutSeconds: 60, network: 'none' as const }

for (const box of boxes) {
  const name = box.isolation.backend ?? 'a bare process'
  const room: Room = {
    box,
    inPlace: (_prepared, use) => use(place),
    limits: (worktree) => ({
      worktree,
      ...place,
      readable: [...store.objects],
      denied: [],
      environment: {},
      gateway: null,
      network: 'none',
    }),
  }

  test(`in ${name}: a command is heard to its end, and sees nothing of the runner's environment`, async () => {
    process.env.SERVICE_API_KEY = 'tk_secret'
    const worktree = await store.checkout(base)
    const ran = await execute(room, worktree.folder, place, {
      ...command,
      // Two streams come in no order.
      run: 'exec 2>&1; cat a.txt; env; git status --short; echo last; exit 3',
    })
    await worktree.release()
    delete process.env.SERVICE_API_KEY
    assert.match(ran.output, /^a\n.*\nlast\n$/s)
    assert.doesNotMatch(ran.output, /tk_secret/)
    assert.equal(ran.code, 3)
  })

  test(`in ${name}: what takes too long ends with a child that has left its group`, async () => {
    const worktree = await store.checkout(base)
    const mark = path.join(worktree.folder, 'alive')
    const run = `setsid sh -c 'trap "" TERM; touch alive; while sleep 0.05; do touch ${mark}; done' & sleep 600`
    const ran = await execute(room, worktree.folder, place, { ...command, run, timeoutSeconds: 1 })
    assert.equal(ran.stopped, 'timeout')
    // No one is left who could write where the next one will work.
    await worktree.reset(base)
    assert.deepEqual(await store.changes(base, await worktree.tree()), [])
    await worktree.release()
    assert.ok(!existsSync(mark))
  })

  test(`in ${name}: a spec is seen red, and a demonstration recorded`, async () => {
    const spec = {
      command: 'sh .kanman/acceptance/WEB-1/run.sh',
      files: new Map([['run.sh', Buffer.from('grep b a.txt\n')]]),
    }
    const plan = { setUp: [], gates: [], from: null }
    const red = await proveRed({ store, commit: base, folder: '.kanman/acceptance/WEB-1', spec, plan, room })
    assert.ok(red.right, red.words)
    const worktree = await store.checkout(base)
    const shown = await demonstrate('```sh\nsleep 600 &\ncat a.txt\n```', worktree.folder, room, null)
    await worktree.release()
    assert.equal(shown!.text, 'sleep 600 &\ncat a.txt\na')
  })
}
