import { parseArgs } from 'node:util'
import { type AppOptions, startApp } from '../app/app.ts'
import { ConfigError, readConfig } from '../app/config.ts'
import type { PrintWork, ReportWork } from '../app/engine.ts'
import { type Storage, StorageError } from '../app/storage.ts'
import { seedOnCall } from '../demo/on-call.ts'
import { mergeOf, scriptOf } from '../demo/outcomes.ts'
import { admin, member, owner } from '../demo/people.ts'
import { seedRequirements } from '../demo/requirements.ts'
import { passwordOf, seedDemo } from '../demo/seed.ts'
import { demoSources } from '../demo/sources.ts'
import { takeUpAgain } from '../demo/take-up.ts'
import { otherWorkspace, workspace } from '../demo/teams.ts'
import { issueDemoTokens } from '../demo/tokens.ts'
import { sealAll } from '../domain/seals/seal.ts'
import { selectWorkspace } from '../domain/workspaces/store.ts'
import { systemClock } from '../infra/clock.ts'
import { openDatabase } from '../infra/db/db.ts'
import type { Logger } from '../infra/log.ts'
import { ScriptedGitHost } from '../integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../integrations/trackers/pretend.ts'
import { ScriptedWork } from '../integrations/work/scripted.ts'
import { untilStopped } from './until-stopped.ts'

/** Serves a lively workspace from a data folder of its own; a second start keeps the data and issues fresh tokens. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, port: { type: 'string' }, data: { type: 'string' } },
  })
  const pace = paceOf(process.env.DEMO_PACE)
  const app = await startApp(
    readConfig({
      // The demo is looked at, not operated: quiet unless something is wrong, and no second port to clash over.
      LOG_LEVEL: 'warn',
      OPERATOR_PORT: 'off',
      DATA_DIR: 'data/demo',
      ...process.env,
      ...(values.port === undefined ? {} : { PORT: values.port }),
      ...(values.data === undefined ? {} : { DATA_DIR: values.data }),
    }),
    { prepare: seedOnce, connect: (report, log, print) => playScripts(report, print, log, pace) },
  )
  try {
    const tokens = await issueDemoTokens(app.storage.db, systemClock)
    const sources = await demoSources(app.storage, systemClock, app.signalUrl)
    const signIn = (person: typeof owner) => ({ email: person.email, password: passwordOf(person) })
    const started = {
      url: app.url,
      signalUrl: app.signalUrl,
      workspace: workspace.slug,
      people: { owner: signIn(owner), admin: signIn(admin), member: signIn(member) },
      tokens,
      sources,
    }
    process.stdout.write(values.json ? `${JSON.stringify(started)}\n` : welcome(started))
  } catch (error) {
    await app.stop()
    throw error
  }
  await untilStopped(app)
}

/**
 * How many seconds of a script pass in a second. Whoever cannot watch, as a test, sets DEMO_PACE higher. Below a tenth a
 * worker would be silent for so long that it is taken for lost.
 */
function paceOf(given = '1'): number {
  const pace = Number(given)
  if (pace >= 0.1 && Number.isFinite(pace)) return pace
  throw new ConfigError(`DEMO_PACE must be a number from 0.1 on, such as 1 or 20; it is \`${given}\`.`)
}

/** Nobody is connected to a demo: the work, the git host and the tracker are played. */
function playScripts(
  report: ReportWork,
  print: PrintWork,
  log: Logger,
  pace: number,
): ReturnType<NonNullable<AppOptions['connect']>> {
  const work = new ScriptedWork({
    script: scriptOf,
    report,
    log: print,
    pace,
    onError: (error) => log.warn({ err: error }, 'a scripted work order broke off'),
  })
  return {
    work,
    gitHost: new ScriptedGitHost(mergeOf),
    tracker: new PretendTracker(),
    stop: () => work.stop(),
  }
}

async function seedOnce(storage: Storage): Promise<void> {
  const [first, second] = await Promise.all([
    selectWorkspace(storage.db, workspace.slug),
    selectWorkspace(storage.db, otherWorkspace.slug),
  ])
  if (first && second) return takeUpAgain(storage.db, new Date())
  if (first)
    throw new StorageError(
      'An earlier start was interrupted while it wrote the demo data. Delete the data folder and start again.',
    )
  // Waiting for the disk after each of some hundred small changes would take longer than everything else together.
  const hasty = openDatabase({
    connection: storage.connection,
    connections: 1,
    asAppRole: true,
    synchronousCommit: false,
    onError: () => {},
  })
  const now = new Date()
  await seedDemo(hasty.db, now)
  await seedRequirements(hasty, now)
  await seedOnCall({ ...hasty, secrets: storage.secrets }, now)
  await sealAll(hasty.db, storage.secrets.signing, systemClock)
  await hasty.close()
}

const welcome = (started: {
  url: string
  people: { owner: { email: string; password: string } }
  tokens: { owner: string }
  sources: { grafana: { url: string; secret: string } }
}) => `
Signalbox demo at ${started.url}

  Open            ${started.url}/
  Sign-in         ${started.people.owner.email}  ${started.people.owner.password}
  API reference   ${started.url}/v1/reference
  API token       ${started.tokens.owner}

The inbox has the decisions that wait for a person: choose an answer with 1 to 4, send it with Enter. Or by hand:

  curl "${started.url}/v1/decisions?status=pending" -H "Authorization: Bearer ${started.tokens.owner}"

Answer one (its options are in the list) and watch its run go on, scripted:

  curl -X POST "${started.url}/v1/decisions/KEY/resolve" -H "Authorization: Bearer ${started.tokens.owner}" -H "Content-Type: application/json" -d '{"optionId": "ID"}'

Send an alert and watch its incident:

  npm run send-alert -- --kind grafana --url ${started.sources.grafana.url} --secret ${started.sources.grafana.secret} --severity critical

Stop with Ctrl-C. The data stays; the next start prints new tokens.
`
