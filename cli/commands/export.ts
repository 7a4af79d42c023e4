import type { Asked } from '@signalbox/contract/command-line.ts'
import { visible } from '@signalbox/contract/visible.ts'
import type { exportLine } from '../command-lines.ts'
import { configurationText } from '../configuration-file.ts'
import { connectManage } from '../manage.ts'
import { printJson } from '../terminal/print.ts'

export async function run({ values: { json } }: Asked<typeof exportLine>): Promise<void> {
  const configuration = await (await connectManage()).export()
  if (json) return printJson(configuration)
  process.stdout.write(visible(configurationText(configuration)))
}
