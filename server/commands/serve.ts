import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { untilStopped } from './until-stopped.ts'

/** Serves until SIGINT or SIGTERM. */
export async function run(): Promise<void> {
  const app = await startApp(readConfig(process.env))
  await untilStopped(app)
}
