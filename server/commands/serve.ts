import path from 'node:path'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { withSecretFiles } from '@signalbox/contract/secret-files.ts'
import { type App, startApp } from '../app/app.ts'
import { type Config, readConfig } from '../app/config.ts'
import { runWorker, startPrimary } from '../app/primary.ts'
import type { Storage } from '../app/storage.ts'
import { isSetUpNeeded, setUpCode } from '../domain/accounts/workspaces/set-up.ts'
import { RunnerBeside } from '../infra/runner-beside.ts'
import { isWorker } from '../infra/workers.ts'
import type { serveLine } from './command-lines.ts'
import { explanationOf } from './or-explain.ts'
import { printJson } from './print.ts'
import { exitAfterGrace, trapSignals, untilStopped } from './until-stopped.ts'

const longerThanWorkersMs = 5_000

/**
 * Serves until SIGINT or SIGTERM; with `--with-runner`, a runner is started beside it, and with `--workers N` that many
 * processes share the port. Each of them runs this command as well.
 */
export async function run({ values }: Asked<typeof serveLine>): Promise<void> {
  const workers = Number(values.workers ?? 1)
  if (isWorker()) return runWorker(readConfig(process.env), explanationOf, () => exitAfterGrace())
  const unwanted = trapSignals()
  let isFirst = false
  // Asked before anything is served: once it is, a database that is away for a moment is no reason to end.
  const prepare = async ({ db }: Storage) => {
    isFirst = await isSetUpNeeded(db)
  }
  const config = readConfig(process.env)
  // Workers take their grace while the primary waits for them, and end themselves before it gives them up.
  const graceMs = workers > 1 ? config.stopGraceSeconds * 1_000 + longerThanWorkersMs : 0
  const options = { prepare, unwanted, onStopping: () => exitAfterGrace(graceMs) }
  const app = await (workers > 1 ? startPrimary(config, workers, options) : startApp(config, options))
  const setUp = isFirst ? `${app.url}/setup?code=${setUpCode(app.storage.secrets)}` : null
  // Not through the log, which may be off: without this line the first sign-in is impossible.
  if (setUp)
    process.stderr.write(
      `Open this link to create the first account. It makes you the owner:\nSet up at ${setUp}\n`,
    )
  if (values.json) printJson({ url: app.url, setUp })
  const runner = values['with-runner'] ? startRunner(app, config) : null
  const stop = async () => {
    await runner?.stop()
    await app.stop()
  }
  await untilStopped({ ...app, stop }, graceMs)
}

/** For a team on one machine. It signs in as every runner does. */
function startRunner(app: Pick<App, 'url'>, { dataDir, gitAllow }: Config): RunnerBeside | null {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const mistakes: string[] = []
  const { SERVICE_API_KEY: token } = withSecretFiles(process.env, ['SERVICE_API_KEY'], mistakes)
  if (mistakes.length > 0) {
    say(`No runner was started: ${mistakes.join(' ')}`)
    return null
  }
  if (!token) {
    say(
      `No runner was started: SERVICE_API_KEY is not set. Create a token at ${app.url}/ under Settings, API tokens, and start again with SERVICE_API_KEY=tk_…`,
    )
    return null
  }
  const folders = gitAllow.filter((entry) => path.isAbsolute(entry))
  const data = path.join(dataDir, 'runner')
  const args = [
    '--url',
    app.url,
    '--data',
    data,
    ...(folders.length > 0 ? ['--git-folders', folders.join(',')] : []),
  ]
  return new RunnerBeside({ token, args, say })
}
