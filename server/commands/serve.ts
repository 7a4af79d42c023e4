import { startApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import type { Storage } from '../app/storage.ts'
import { isSetUpNeeded, setUpCode } from '../domain/workspaces/set-up.ts'
import { hearSignals, untilStopped } from './until-stopped.ts'

/** Serves until SIGINT or SIGTERM. */
export async function run(): Promise<void> {
  hearSignals()
  let isFirst = false
  // Asked before anything is served: once it is, a database that is away for a moment is no reason to end.
  const prepare = async ({ db }: Storage) => {
    isFirst = await isSetUpNeeded(db)
  }
  const app = await startApp(readConfig(process.env), { prepare })
  // Not through the log, which may be off: without this line nobody gets in.
  if (isFirst)
    process.stderr.write(
      `Nobody has used this installation yet. Whoever opens this link becomes its owner:\nSet up at ${app.url}/setup?code=${setUpCode(app.storage.secrets)}\n`,
    )
  await untilStopped(app)
}
