import '../server/small-heap.ts'
import { startApp } from '../server/app/app.ts'
import { readConfig } from '../server/app/config.ts'
import { runWorker, startPrimary } from '../server/app/primary.ts'
import { trapSignals, untilStopped } from '../server/commands/until-stopped.ts'
import { isWorker } from '../server/infra/workers.ts'

/**
 * The server of the figures about decisions: all of it, with no runner connected to do the work. A number makes it so
 * many processes that share the port, each of which runs this file as well.
 */
const config = readConfig({ OPERATOR_PORT: 'off', LOG_LEVEL: 'error', ...process.env })
const workers = Number(process.argv[2] ?? 1)
if (isWorker()) await runWorker(config, String)
else {
  trapSignals()
  const app = await (workers > 1 ? startPrimary(config, workers) : startApp(config))
  process.stdout.write(`${app.url}\n`)
  await untilStopped(app)
}
