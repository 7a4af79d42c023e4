import type { Asked } from '@signalbox/contract/command-line.ts'
import { readConfig } from '../app/config.ts'
import { openStorage } from '../app/storage.ts'
import { createLog } from '../infra/log.ts'
import type { migrateLine } from './command-lines.ts'
import { printJson } from './print.ts'

/** Brings the database up to date; the server does the same when it starts. */
export async function run({ values }: Asked<typeof migrateLine>): Promise<void> {
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: config.logLevel }), 'command')
  await storage.close()
  if (values.json) printJson({ database: 'up to date' })
  else process.stdout.write('The database is up to date.\n')
}
