import { readConfig } from '../../server/app/config.ts'
import { openStorage } from '../../server/app/storage.ts'
import { createLog } from '../../server/infra/log.ts'
import { loadDemo } from './load.ts'

/** Makes a data folder with the whole demo, and leaves it for others to serve from. */
export async function makeData(folder: string): Promise<void> {
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'warn' })
  const storage = await openStorage(config, createLog({ level: config.logLevel }), 'serve')
  try {
    await loadDemo(storage)
  } finally {
    await storage.close()
  }
}
