import { createInterface } from 'node:readline/promises'
import type { Asked } from '@signalbox/contract/command-line.ts'
import type { Applied } from '@signalbox/contract/manage/plan.ts'
import { CommandError } from '../command-error.ts'
import type { applyLine } from '../command-lines.ts'
import { locating, readConfigurationFile, withSecrets } from '../configuration-file.ts'
import { peopleExitCodes } from '../exit-codes.ts'
import { connectManage, type Manage } from '../manage.ts'
import { planText } from '../terminal/plan.ts'
import { note, oneLine, print, printJson } from '../terminal/print.ts'

export async function run({ values }: Asked<typeof applyLine>): Promise<void> {
  const { file = 'signalbox.yaml', prune = false, yes = false, json } = values
  const read = await readConfigurationFile(file)
  const configuration = await withSecrets(read, 'refused')
  const manage = await connectManage()
  const plan = await locating(read, () => manage.plan({ configuration, prune }))
  if (!json) print(planText(plan))
  const marks = plan.adopted.length
  const question =
    plan.changes.length > 0 ? 'Apply these changes?' : marks > 0 ? 'Mark what is already as described?' : null
  if (question && !yes && !(await isConfirmed(question))) {
    note('Nothing was changed.')
    process.exitCode = peopleExitCodes.failed
    return
  }
  // Also without a difference: what the file describes is marked as managed by it, and what it says is what counts.
  const { fingerprint } = plan
  const applied = await manage.apply({ configuration, prune, fingerprint })
  if (json) printJson(applied)
  else if (plan.changes.length > 0) {
    print(`Applied: ${counted(applied.done.length)}.`)
    for (const line of await addressLines(manage, applied)) print(line)
  } else if (marks > 0 && !applied.failed)
    print(`Marked as managed by file: ${marks === 1 ? '1 resource' : `${marks} resources`}.`)
  if (applied.failed) {
    const { kind, name, code, message } = applied.failed
    const said = read.located(`${kind}.${oneLine(name)}: ${message}`)
    if (code === 'changed_meanwhile') throw new CommandError(`${said} ${rest(applied)}`, 'conflict')
    throw new CommandError(`${said} ${rest(applied)} Fix this, then apply the file again.`)
  }
}

/** A new source is of no use until its sender knows where to deliver. */
async function addressLines(manage: Manage, { done }: Applied): Promise<string[]> {
  const created = done.filter(({ action, kind }) => action === 'create' && kind === 'sources')
  if (created.length === 0) return []
  const names = new Set(created.map(({ name }) => name))
  return (await manage.sources())
    .filter(({ name, address }) => names.has(name) && address)
    .map(({ name, address }) => `sources.${oneLine(name)} takes alerts at ${address}`)
}

/** What is so after a refusal. */
function rest({ done, left }: Applied): string {
  const made =
    done.length > 0
      ? `${counted(done.length)} before it ${done.length === 1 ? 'was' : 'were'} made.`
      : 'Nothing was changed.'
  return left > 0 ? `${made} ${counted(left)} after it ${left === 1 ? 'was' : 'were'} not tried.` : made
}

const counted = (count: number) => (count === 1 ? '1 change' : `${count} changes`)

async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CommandError('There is no terminal to confirm at. Use --yes to apply without asking.', 'usage')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} (y/N) `)).trim())
  } finally {
    terminal.close()
  }
}
