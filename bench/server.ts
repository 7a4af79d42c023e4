import { startApp } from '../server/app/app.ts'
import { readConfig } from '../server/app/config.ts'
import { hearSignals, untilStopped } from '../server/commands/until-stopped.ts'

/** The server of the figures about decisions: all of it, with nobody connected who would do the work. */
hearSignals()
const app = await startApp(readConfig({ OPERATOR_PORT: 'off', LOG_LEVEL: 'error', ...process.env }))
process.stdout.write(`${app.url}\n`)
await untilStopped(app)
