import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type App, type AppOptions, startApp } from '../server/app/app.ts'
import type { Config } from '../server/app/config.ts'
import type { PrintWork, ReportWork } from '../server/app/engine.ts'
import { Start } from '../server/app/start.ts'
import { type Storage, StorageError } from '../server/app/storage.ts'
import { exitAfterGrace, trapSignals, untilStopped } from '../server/commands/until-stopped.ts'
import { createToken } from '../server/domain/accounts/tokens/create.ts'
import { selectWorkspaceBySlug } from '../server/domain/accounts/workspaces/store.ts'
import type { GitHost, TeamRepository } from '../server/domain/ports/git-host.ts'
import type { Ports } from '../server/domain/ports/ports.ts'
import { setRepositories } from '../server/domain/work/repositories/set.ts'
import { systemClock } from '../server/infra/clock.ts'
import type { Db } from '../server/infra/db/db.ts'
import { createLog, type Logger } from '../server/infra/log.ts'
import { RunnerBeside } from '../server/infra/runner-beside.ts'
import { ScriptedGitHost } from '../server/integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../server/integrations/trackers/pretend.ts'
import { probes } from './halden-parcels/alerts.ts'
import { mover } from './halden-parcels/arrivals.ts'
import { labels } from './halden-parcels/labels/team.ts'
import { admin, member, owner } from './halden-parcels/people.ts'
import { haldenParcels } from './halden-parcels/workspace.ts'
import { acting, asOperator } from './load/acting.ts'
import { demoSources, sourceNamed } from './load/sources.ts'
import { takeUpAgain } from './load/take-up.ts'
import { issueDemoTokens } from './load/tokens.ts'
import { passwordOf } from './load/workspace.ts'
import { marlowBayFerries } from './marlow-bay-ferries/workspace.ts'
import { PlayedHistory } from './play/history.ts'
import { Moves } from './play/moves.ts'
import { mergeOf } from './play/outcomes.ts'
import { scriptedWork } from './play/work.ts'
import { makeLabelRepository } from './real-repository.ts'
import { startReceiver } from './receiver.ts'
import { type DemoChat, leaveChat, startChat } from './tools/chat.ts'
import type { DemoTool, Later } from './tools/tool.ts'
import { startTrackers } from './tools/trackers.ts'

export interface DemoOptions {
  /** Print one line for a program instead of a page for people. */
  json: boolean
  /** How many seconds of a script pass in a second. */
  pace: number
  /** How many moves it makes on its own while it is open; 0 holds it still. */
  moves: number
  /** Null: no runner is started. */
  real: RealWork | null
}

interface RealWork {
  /** What the tools beside the server keep. */
  tools: string
  /** For bare repositories; the server allows it. */
  repositories: string
  /** The runner's own folder. */
  data: string
}

/** Serves a lively workspace from a data folder of its own; a second start keeps the data and issues fresh tokens. */
export async function serveDemo(config: Config, { json, pace, moves, real }: DemoOptions): Promise<void> {
  const unwanted = trapSignals()
  const receiver = await startReceiver()
  const allowing = {
    ...config,
    webhookAllow: [...config.webhookAllow, receiver.allow],
    uptimeAllow: [...config.uptimeAllow, receiver.allow],
  }
  let db: Db
  const app = await startApp(allowing, {
    async prepare(storage) {
      db = storage.db
      await loadOnce(storage)
      await leaveChat(storage, config.dataDir)
      // Before the check runs: it would look at where the page was.
      await receiver.showPage(storage)
      // Before anything looks for work: without a repository its work would be scripted, like that of the other teams.
      if (real) await bindLabels(storage, real)
    },
    unwanted,
    onStopping: () => exitAfterGrace(),
    connect: (report, log, print, configured) => playScripts({ report, print, log, pace, configured, db }),
  })
  // The server is ready, and its database can go away all the same.
  const log = createLog({ level: config.logLevel })
  const { step } = new Start({ log, unwanted, firstContactMs: Number.POSITIVE_INFINITY })
  const later: Later = (name, work, otherwise) =>
    step(name, work).catch((error: Error) => {
      if (!unwanted.aborted) complain(`${otherwise} ${error.message}`)
    })
  const beside: { runner?: RunnerBeside; chat?: DemoChat; trackers?: DemoTool; moves?: Moves } = {}
  const stop = async () => {
    await beside.moves?.stop()
    await beside.trackers?.stop()
    await beside.runner?.stop()
    await beside.chat?.connected
    await app.stop()
    await beside.chat?.stop()
    receiver.stop()
  }
  try {
    // They have little to do with each other, and mostly wait.
    const [tokens, sources] = await Promise.all([
      step('issue the tokens', () => issueDemoTokens(app.storage.db, systemClock)),
      step('find the sources', () => demoSources(app.storage, systemClock, app.signalUrl)),
      step('register the receiver', () => receiver.register(app.storage, app.url)),
      step('start the runner', async () => {
        if (real) beside.runner = await startRunner(app, real)
      }),
      step('start the trackers', async () => {
        if (real) beside.trackers = await startTrackers(app, real, later)
      }),
      step('start the chat', async () => {
        beside.chat = await startChat(app, config, later)
      }),
    ])
    const signIn = (person: typeof owner) => ({ email: person.email, password: passwordOf(person) })
    const started = {
      url: app.url,
      signalUrl: app.signalUrl,
      workspace: haldenParcels.slug,
      people: { owner: signIn(owner), admin: signIn(admin), member: signIn(member) },
      tokens,
      sources,
    }
    if (moves > 0) beside.moves = await startMoves(app, config, { pace, moves, log })
    const tools = { ...beside.chat?.urls, ...beside.trackers?.urls }
    // Not in the line below, whose keys are promised.
    await writeFile(path.join(config.dataDir, 'tools.json'), JSON.stringify(tools))
    process.stdout.write(
      json ? `${JSON.stringify(started)}\n` : welcome({ ...started, data: config.dataDir }, tools),
    )
  } catch (error) {
    await stop()
    throw error
  }
  await untilStopped({ ...app, stop })
}

const script = path.join(import.meta.dirname, 'halden-parcels', 'labels', 'script.json')

const complain = (line: string) => void process.stderr.write(`${line}\n`)

/** One team's work is real: its repository is on this machine. */
async function bindLabels({ db }: Storage, { repositories }: RealWork): Promise<void> {
  const ctx = await acting(db, systemClock, haldenParcels.slug, owner.email)
  const address = await makeLabelRepository(repositories, 'label-tools')
  await setRepositories(asOperator(ctx), null, labels.slug, [
    { name: 'label-tools', address, branch: 'main' },
  ])
}

/** Who works on it: a runner beside the server. */
async function startRunner(app: App, { repositories, data }: RealWork): Promise<RunnerBeside> {
  const { db } = app.storage
  const ctx = await acting(db, systemClock, haldenParcels.slug, owner.email)
  const { token } = await createToken(ctx, {
    ...{
      personId: ctx.actor.userId,
      name: 'demo: runner',
      permissions: ['read' as const],
      expires: '30d' as const,
    },
  })
  const args = [
    ...['--url', app.url, '--name', 'Demo runner', '--data', data, '--slots', '2'],
    ...['--agents', `scripted=${script}`, '--git-folders', repositories],
  ]
  return new RunnerBeside({ token, args, say: complain })
}

/** A little more than half a minute: long enough to look at what has happened. */
const pauseMs = 40_000

async function startMoves(
  app: App,
  { dataDir }: Config,
  { pace, moves, log }: { pace: number; moves: number; log: Logger },
): Promise<Moves> {
  const source = await sourceNamed(app.storage, probes, app.signalUrl)
  const person = haldenParcels.people.find(({ email }) => email === mover)!
  const moving = new Moves({
    ...{ url: app.url, workspace: haldenParcels.slug, source: source!, most: moves, pauseMs: pauseMs / pace },
    person: { email: person.email, name: person.name, password: passwordOf(person) },
    file: path.join(dataDir, 'moves.json'),
    onError: (error) => log.warn({ err: error }, 'a move of the demo was put off'),
  })
  moving.start()
  return moving
}

interface Playing {
  report: ReportWork
  print: PrintWork
  log: Logger
  pace: number
  configured: Ports
  db: Db
}

/** What the other teams do is played: the work, the git host, what was merged there, and the tracker. */
function playScripts({
  report,
  print,
  log,
  pace,
  configured,
  db,
}: Playing): ReturnType<NonNullable<AppOptions['connect']>> {
  const work = scriptedWork({
    ...{ report, print, pace, db },
    onError: (error) => log.warn({ err: error }, 'a scripted work order was interrupted'),
  })
  return {
    work,
    gitHost: gitHostsOf(configured.gitHost!, new ScriptedGitHost(mergeOf)),
    history: new PlayedHistory(db, configured.history),
    tracker: new PretendTracker(),
    stop: () => work.stop(),
  }
}

/** A team with a repository has a real git host. */
function gitHostsOf(local: GitHost, played: GitHost): GitHost {
  const hostOf = ({ repository }: { repository: TeamRepository | null }) => (repository ? local : played)
  return {
    troubleWith: (workspaceId, repository) => local.troubleWith(workspaceId, repository),
    credential: (workspaceId, repository, access) => local.credential(workspaceId, repository, access),
    relay: (workspaceId, repository, request) => local.relay(workspaceId, repository, request),
    closePullRequest: (request) => hostOf(request).closePullRequest(request),
    postVerdict: (verdict) => hostOf(verdict).postVerdict(verdict),
    readMain: (request) => hostOf(request).readMain(request),
    readPullRequest: (request) => hostOf(request).readPullRequest(request),
    readReviews: (request) => hostOf(request).readReviews(request),
    openPullRequest: (request) => hostOf(request).openPullRequest(request),
    merge: (request, note) => hostOf(request).merge(request, note),
    checkMain: (request) => hostOf(request).checkMain(request),
    openRevert: (request) => hostOf(request).openRevert(request),
    revertCommit: (request) => (request.teamRepository ? local : played).revertCommit(request),
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
  // Mostly it is there: what writes it is loaded only for that.
  const { loadDemo } = await import('./load/load.ts')
  await loadDemo(storage)
}

const welcome = (
  started: {
    url: string
    workspace: string
    data: string
    people: { owner: { email: string; password: string } }
    tokens: { owner: string }
    sources: { grafana: { url: string; secret: string } }
  },
  tools: Record<string, string>,
) => `
Signalbox demo at ${started.url}

  Open            ${started.url}/
  Sign-in         ${started.people.owner.email}  ${started.people.owner.password}
  API reference   ${started.url}/v1/reference
  API token       ${started.tokens.owner}
  Demo chat       ${tools.chat}  (takes the place of Slack: answer decisions and follow incidents there)

The inbox shows the decisions waiting for a person. Choose an answer with 1 to 4 and send it with Enter. Or use the API:

  curl "${started.url}/v1/decisions?status=pending" -H "Authorization: Bearer ${started.tokens.owner}"

Answer one (the list has its options) and watch its scripted run continue:

  curl -X POST "${started.url}/v1/decisions/KEY/resolve" -H "Authorization: Bearer ${started.tokens.owner}" -H "Content-Type: application/json" -d '{"optionId": "ID"}'

Team Label Tools works on a real repository with a real runner, without a language model. Approve its plan in the
inbox and watch the run until it asks to merge. Its evidence is signed: download it on the run's Evidence tab, and check
it with the key of the workspace, from the Audit page or from this:

  DATA_DIR=${started.data} npm run -s signalbox -- verify-audit --print-key --workspace ${started.workspace}
  npm run -s signalbox -- verify-evidence --key KEY FILE
${
  Object.keys(tools).length > 1
    ? `
Four more teams take their issues from stand-ins for outside tools, on this machine. Open one, mark its issue as ready,
approve plan and merge in the inbox, and watch the issue being closed with its evidence:

${Object.entries(tools)
  .filter(([name]) => name !== 'chat')
  .map(([name, url]) => `  ${name.padEnd(16)}${url}`)
  .join('\n')}
`
    : ''
}
Send an alert and watch its incident open:

  npm run send-alert -- --kind grafana --url ${started.sources.grafana.url} --secret ${started.sources.grafana.secret} --severity critical

Stop with Ctrl-C. The data stays; the next start prints new tokens.
`
