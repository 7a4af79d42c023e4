import type { Asked } from '@signalbox/contract/command-line.ts'
import type { schemaLine } from '../command-lines.ts'
import { connectManage } from '../manage.ts'

export async function run(_: Asked<typeof schemaLine>): Promise<void> {
  process.stdout.write(`${JSON.stringify(await (await connectManage()).schema(), null, 2)}\n`)
}
