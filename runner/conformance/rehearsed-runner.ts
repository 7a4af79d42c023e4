import { unmeasured } from '../box/unmeasured.ts'
import { readConfig } from '../config.ts'
import { runAsProcess } from '../process.ts'
import { rehearsedWork } from './rehearsed-work.ts'

/** The runner with work that a scenario writes down: what `npm test` holds the process to. */
const config = readConfig(process.argv.slice(2), process.env)
const exitCode = await runAsProcess(config, {
  isolation: unmeasured,
  work: rehearsedWork(config.pace),
  executors: [{ name: 'scripted', via: 'scripted', version: null }],
})
process.exit(exitCode)
