import { type AppOptions, startApp } from '../server/app/app.ts'
import type { Config } from '../server/app/config.ts'
import type { PrintWork, ReportWork } from '../server/app/engine.ts'
import { type Storage, StorageError } from '../server/app/storage.ts'
import { hearSignals, untilStopped } from '../server/commands/until-stopped.ts'
import { selectWorkspaceBySlug } from '../server/domain/workspaces/store.ts'
import { systemClock } from '../server/infra/clock.ts'
import type { Logger } from '../server/infra/log.ts'
import { ScriptedGitHost } from '../server/integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../server/integrations/trackers/pretend.ts'
import { ScriptedWork } from '../server/integrations/work/scripted.ts'
import { admin, member, owner } from './halden-parcels/people.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { loadDemo } from './load/load.ts'
import { demoSources } from './load/sources.ts'
import { takeUpAgain } from './load/take-up.ts'
import { issueDemoTokens } from './load/tokens.ts'
import { passwordOf } from './load/workspace.ts'
import { marlowBayFerries } from './marlow-bay-ferries/workspace.ts'
import { mergeOf, scriptOf } from './play/outcomes.ts'

export interface DemoOptions {
  /** Print one line for a program instead of a page for people. */
  json: boolean
  /** How many seconds of a script pass in a second. */
  pace: number
}

/** Serves a lively workspace from a data folder of its own; a second start keeps the data and issues fresh tokens. */
export async function serveDemo(config: Config, { json, pace }: DemoOptions): Promise<void> {
  hearSignals()
  const app = await startApp(config, {
    prepare: loadOnce,
    connect: (report, log, print) => playScripts(report, print, log, pace),
  })
  try {
    const tokens = await issueDemoTokens(app.storage.db, systemClock)
    const sources = await demoSources(app.storage, systemClock, app.signalUrl)
    const signIn = (person: typeof owner) => ({ email: person.email, password: passwordOf(person) })
    const started = {
      url: app.url,
      signalUrl: app.signalUrl,
      workspace: haldenParcels.slug,
      people: { owner: signIn(owner), admin: signIn(admin), member: signIn(member) },
      tokens,
      sources,
    }
    process.stdout.write(json ? `${JSON.stringify(started)}\n` : welcome(started))
  } catch (error) {
    await app.stop()
    throw error
  }
  await untilStopped(app)
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

async function loadOnce(storage: Storage): Promise<void> {
  const [first, second] = await Promise.all([
    selectWorkspaceBySlug(storage.db, haldenParcels.slug),
    selectWorkspaceBySlug(storage.db, marlowBayFerries.slug),
  ])
  if (first && second) return takeUpAgain(storage.db, new Date())
  if (first)
    throw new StorageError(
      'An earlier start was interrupted while it was writing the demo data. Delete the data folder and start again.',
    )
  await loadDemo(storage)
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

The inbox shows the decisions waiting for a person. Choose an answer with 1 to 4 and send it with Enter. Or use the API:

  curl "${started.url}/v1/decisions?status=pending" -H "Authorization: Bearer ${started.tokens.owner}"

Answer one (the list has its options) and watch its scripted run continue:

  curl -X POST "${started.url}/v1/decisions/KEY/resolve" -H "Authorization: Bearer ${started.tokens.owner}" -H "Content-Type: application/json" -d '{"optionId": "ID"}'

Send an alert and watch its incident open:

  npm run send-alert -- --kind grafana --url ${started.sources.grafana.url} --secret ${started.sources.grafana.secret} --severity critical

Stop with Ctrl-C. The data stays; the next start prints new tokens.
`
