import { readConfig, refuseUnwritableFolders } from '../app/config.ts'
import { makeCluster } from '../infra/db/embedded.ts'

/** Makes the embedded database of a new data folder. `begun` is called once others do the work. */
export async function makeDatabase(begun: () => void): Promise<void> {
  const config = readConfig(process.env)
  if (config.databaseUrl) return
  refuseUnwritableFolders(config)
  await makeCluster(config.dataDir, begun)
}
