import path from 'node:path'
import { ConfigError, readConfig } from '../server/app/config.ts'
import { copyTemplate } from './template.ts'

/** Then it stays as it is: four stories, each with what follows from it. */
const mostMoves = 24

/** Serves the demo. Its data folder is filled while the code of the server is loaded, which takes as long. */
export async function begin(values: {
  json?: boolean | undefined
  port?: string | undefined
  data?: string | undefined
  'no-runner'?: boolean | undefined
}): Promise<void> {
  const pace = paceOf(process.env.DEMO_PACE)
  const moves = movesOf(process.env.DEMO_MOVES, values.json ?? false)
  const config = readConfig({
    // The demo is looked at, not operated: quiet unless something is wrong, and no second port to clash over.
    LOG_LEVEL: 'warn',
    OPERATOR_PORT: 'off',
    STOP_GRACE_SECONDS: '0',
    DATA_DIR: 'data/demo',
    ...process.env,
    ...(values.port === undefined ? {} : { PORT: values.port }),
    ...(values.data === undefined ? {} : { DATA_DIR: values.data }),
  })
  const repositories = path.join(config.dataDir, 'git')
  // With a database or a key of one's own there is nothing to copy.
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const canCopy = !config.databaseUrl && !config.secretKey
  const copying = canCopy ? copyTemplate(config.dataDir, resolve).finally(resolve) : resolve()
  // Loading lets nothing else happen in this process.
  await begun
  const [{ serveDemo }] = await Promise.all([import('./serve.ts'), copying])
  await serveDemo(
    {
      ...config,
      gitAllow: [...config.gitAllow, repositories, '127.0.0.1'],
      // The demo's tools are on this machine.
      connectionAllow: [...config.connectionAllow, '127.0.0.1'],
    },
    {
      json: values.json ?? false,
      pace,
      moves,
      real: values['no-runner']
        ? null
        : {
            repositories,
            data: path.join(config.dataDir, 'runner'),
            tools: path.join(config.dataDir, 'tools'),
          },
    },
  )
}

/**
 * How many seconds of a script pass in a second. Tests, which do not watch, set DEMO_PACE higher. Below a tenth, a
 * worker would be silent for so long that it is taken for lost.
 */
function paceOf(given = '1'): number {
  const pace = Number(given)
  if (pace >= 0.1 && Number.isFinite(pace)) return pace
  throw new ConfigError(`DEMO_PACE must be a number, 0.1 or more, such as 1 or 20; it is \`${given}\`.`)
}

/**
 * How many moves the demo makes on its own, all its starts on a data folder together. Programs, which compare what they
 * read, start it with --json and find it still unless they ask for moves.
 */
function movesOf(given: string | undefined, json: boolean): number {
  if (given === undefined) return json ? 0 : mostMoves
  const moves = Number(given)
  if (Number.isSafeInteger(moves) && moves >= 0) return moves
  throw new ConfigError(`DEMO_MOVES must be a whole number, 0 for none; it is \`${given}\`.`)
}
