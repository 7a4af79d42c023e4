import { startApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import type { Storage } from '../../app/storage.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { ScriptedGitHost } from '../../integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../../integrations/trackers/pretend.ts'
import { type Beat, ScriptedWork } from '../../integrations/work/scripted.ts'
import { goesWell } from '../engine/engine.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'

/**
 * A whole server whose runs go well on their own, as a process of its own so that a test can kill it. Its clock is
 * ahead by SECONDS_AHEAD, so that a restart finds the leases of its predecessor over, and runs CLOCK_SPEED times as
 * fast, so that a lease is over soon. What HELD_STAGE names never ends. Prints one line of JSON.
 */

const ahead = Number(process.env.SECONDS_AHEAD ?? 0) * 1000
const speed = Number(process.env.CLOCK_SPEED ?? 1)
const begun = Date.now()
const clock = { now: () => new Date(begun + (Date.now() - begun) * speed + ahead) }

const script: Record<string, Beat[]> = {
  planning: [
    { seconds: 0, event: { type: 'usage', amount: 0.01, currency: 'EUR' } },
    beat('planning', goesWell.plan),
  ],
  implementing: [beat('implementing', goesWell.change)],
  verifying: [beat('verifying', goesWell.gates)],
  handing_off: [beat('handing_off', goesWell.finish)],
}

function beat(stage: string, event: Beat['event']): Beat {
  const day = 86_400
  return {
    seconds: process.env.HELD_STAGE === stage ? day : Number(process.env.BEAT_SECONDS ?? 0.05),
    event,
  }
}

let token = ''

async function prepare({ db }: Storage): Promise<void> {
  const known = await tables(db).selectFrom('workspaces').select('id').executeTakeFirst()
  const workspace = known
    ? ({
        db,
        clock,
        queue: silentQueue,
        workspaceId: known.id,
        actor: { type: 'system', name: 'test' },
        channel: 'operator',
      } as const)
    : await aWorkspace(db, clock)
  token = (await aToken(await aMember(workspace, 'owner'), ['read', 'write'])).token
  if (known) return
  const team = await aTeam(workspace)
  for (let n = 0; n < Number(process.env.STORIES ?? 1); n += 1) await aStory(workspace, team)
  await aPolicy(workspace, team, 'autonomous', {
    maxConcurrency: 10,
    budgets: { runCents: 1_000, dayCents: null, monthCents: null },
  })
}

const app = await startApp(readConfig(process.env), {
  clock,
  prepare,
  connect: (report) => {
    const work = new ScriptedWork({ script: ({ stage }) => script[stage]!, report, onError: () => {} })
    return { work, gitHost: new ScriptedGitHost(), tracker: new PretendTracker(), stop: () => work.stop() }
  },
})
process.stdout.write(`${JSON.stringify({ url: app.url, token })}\n`)
process.once('SIGTERM', () => app.stop().then(() => process.exit(0)))
