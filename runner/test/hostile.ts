import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { playWork, type WorkPlayed } from '../conformance/work/play-work.ts'
import { workScenarios } from '../conformance/work/scenarios/all.ts'
import { manualTable, printedTable, rowsOf, withTable } from '../conformance/work/table.ts'
import { bundledRunner, bundleFolder } from './bundled.ts'

/**
 * `npm run test:hostile`: our runner, as one file, against everything that the kit can do to it. It rewrites the table of
 * docs/manual/box.md; with `--check` it only says whether that is right. `--runner` holds another one to it.
 */
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    runner: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
  },
})
const say = (text: string) => void process.stdout.write(`${text}\n`)
const page = path.join(import.meta.dirname, '..', '..', 'docs', 'manual', 'box.md')

const folder = await bundleFolder()
const runner = options.runner ?? (await bundledRunner(folder, 'main.ts'))
const ahead = workScenarios.filter(({ name, category }) => `${category} ${name}`.includes(options.only))
const played: WorkPlayed[] = []

async function playAhead(): Promise<void> {
  for (let scenario = ahead.shift(); scenario; scenario = ahead.shift()) {
    const result = await playWork(scenario, { runner, pace: 0.2, patienceSeconds: 240 })
    played.push(result)
    say(`${result.breaches.length === 0 ? 'ok    ' : 'FAILED'}  ${scenario.category}: ${scenario.name}`)
    for (const breach of result.breaches) say(`          ${breach}`)
    if (result.breaches.length > 0) say(result.output.replace(/^/gm, '          | '))
  }
}

await Promise.all(Array.from({ length: Number(options['at-once']) }, playAhead))
await rm(folder, { recursive: true, force: true })
const rows = rowsOf(played)
say(printedTable(rows))
const failed = played.filter(({ breaches }) => breaches.length > 0)
if (failed.length > 0) {
  say(`${failed.length} of ${played.length} scenarios failed.`)
  process.exitCode = 1
}
if (!options.only && !options.runner) {
  const before = readFileSync(page, 'utf8')
  const now = withTable(before, manualTable(rows))
  if (now !== before && options.check) {
    say('docs/manual/box.md has another table. Run npm run test:hostile.')
    process.exitCode = 1
  } else if (now !== before) writeFileSync(page, now)
}
