import type { Asked } from '@signalbox/contract/command-line.ts'
import type { diffLine } from '../command-lines.ts'
import { locating, readConfigurationFile, withSecrets } from '../configuration-file.ts'
import { peopleExitCodes } from '../exit-codes.ts'
import { connectManage } from '../manage.ts'
import { planText } from '../terminal/plan.ts'
import { print, printJson } from '../terminal/print.ts'

export async function run({ values }: Asked<typeof diffLine>): Promise<void> {
  const { file = 'signalbox.yaml', prune = false, check = false, json } = values
  const read = await readConfigurationFile(file)
  const configuration = await withSecrets(read, 'left out')
  const manage = await connectManage()
  const plan = await locating(read, () => manage.plan({ configuration, prune }))
  if (json) printJson(plan)
  else print(planText(plan))
  if (check && plan.changes.length > 0) process.exitCode = peopleExitCodes.differs
}
