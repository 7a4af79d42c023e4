import { readConfig } from '../app/config.ts'
import { openStorage } from '../app/storage.ts'
import { createLog } from '../infra/log.ts'

/** Brings the database up to date; the server does the same when it starts. */
export async function run(): Promise<void> {
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: config.logLevel }), 'command')
  await storage.close()
  process.stdout.write('The database is up to date.\n')
}
