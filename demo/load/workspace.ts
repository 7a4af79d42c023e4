import { addPerson } from '../../server/domain/accounts/workspaces/add-person.ts'
import { changeRole } from '../../server/domain/accounts/workspaces/change-role.ts'
import { createWorkspace } from '../../server/domain/accounts/workspaces/create.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { silentQueue } from '../../server/infra/jobs/queue.ts'
import type { DemoMoment, DemoPerson, DemoTeam, DemoWorkspace } from '../script.ts'
import { addDecision } from './decision.ts'
import { addIncident } from './incident.ts'
import { addLocalWork } from './local-work.ts'
import { Past } from './past.ts'
import { addRun } from './run.ts'
import { addStory, keyOf } from './story.ts'
import { addTeam } from './team.ts'

/** Same for all people of the demo, which serves this machine alone. */
export const passwordOf = (person: DemoPerson): string => `demo-${person.email.split('.')[0]}-4400`

/** Writes a workspace of the demo, from its first day to `now`. */
export async function loadWorkspace(db: Db, now: Date, script: DemoWorkspace): Promise<void> {
  const operator = (minutesAgo: number) => ({
    db,
    clock: { now: () => new Date(now.getTime() - minutesAgo * 60_000) },
    actor: { type: 'system', name: 'operator demo' } as const,
    channel: 'operator' as const,
    queue: silentQueue,
  })
  const { id: workspaceId } = await createWorkspace(operator(script.createdMinutesAgo), script)
  const past = new Past(workspaceId, now)
  for (const person of script.people) {
    const { email, name, role, promoted } = person
    const joined = { email, name, role, password: passwordOf(person) }
    const { id } = await addPerson({ ...operator(person.joinedMinutesAgo), workspaceId }, joined)
    past.know(email, { id, name, role: promoted?.to ?? role })
    if (promoted) past.did(promoted.by, promoted.minutesAgo, (ctx) => changeRole(ctx, id, promoted.to))
  }
  for (const team of script.teams) {
    addTeam(past, team)
    for (const story of team.stories) addStory(past, team, story)
    for (const run of team.runs) addRun(past, team, run)
    for (const decision of team.decisions) addDecision(past, team, decision)
    for (const incident of team.incidents ?? []) addIncident(past, team, incident)
    for (const work of team.localWork ?? []) addLocalWork(past, work)
    for (const moment of team.moments) addMoment(past, moment, team)
  }
  for (const moment of script.moments) addMoment(past, moment)
  await past.play(db)
}

function addMoment(past: Past, moment: DemoMoment, team?: DemoTeam): void {
  const { minutesAgo, actor, channel, run, story, entity = aboutOf(story, team!), ...said } = moment
  past.wrote({
    minutesAgo,
    actor,
    ...(channel ? { channel } : {}),
    audit: () => ({
      ...said,
      entity,
      team: team?.slug ?? null,
      runKey: run ? past.runs.get(run)!.key : null,
    }),
  })
}

function aboutOf(key: string | undefined, team: DemoTeam) {
  if (!key) return { type: 'policy', id: team.slug, name: `Policy of ${team.name}` } as const
  const story = team.stories.find((one) => keyOf(team, one) === key)!
  return { type: 'story', id: key, name: story.title } as const
}
