import { startApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import { isSetUpNeeded, setUpCode } from '../domain/workspaces/set-up.ts'
import { hearSignals, untilStopped } from './until-stopped.ts'

/** Serves until SIGINT or SIGTERM. */
export async function run(): Promise<void> {
  hearSignals()
  const app = await startApp(readConfig(process.env))
  // Not through the log, which may be off: without this line nobody gets in.
  if (await isSetUpNeeded(app.storage.db))
    process.stderr.write(
      `Nobody has used this installation yet. Whoever opens this link becomes its owner:\nSet up at ${app.url}/setup?code=${setUpCode(app.storage.secrets)}\n`,
    )
  await untilStopped(app)
}
