import { nextKey } from '../../server/domain/keys.ts'
import type { Finding } from '../../server/domain/on-call/incidents/finding.ts'
import { createService } from '../../server/domain/on-call/services/create.ts'
import type { Entry } from '../../server/domain/record/audit/change.ts'
import { newId } from '../../server/infra/ids.ts'
import { tables } from '../../server/test/tables.ts'
import type { DemoIncident, DemoTeam } from '../script.ts'
import { repositoryOf } from '../shorthand/repositories.ts'
import type { Past } from './past.ts'

/** An incident that was over weeks ago, in SQL: deliveries are not stored for that long. */
export function addIncident(past: Past, team: DemoTeam, incident: DemoIncident): void {
  const { service: name, title, severity } = incident
  const run = team.runs.find(({ id }) => id === incident.suspect)!
  const opened = run.attempts.at(-1)!.completedMinutesAgo! - incident.minutesAfterMerge
  const row = { id: '', key: '' }
  const entry = (): Pick<Entry, 'team' | 'entity'> => ({
    team: team.slug,
    entity: { type: 'incident', id: row.key, name: title },
  })
  // The first incident of a service brings the service.
  if (team.incidents!.find(({ service }) => service === name) === incident)
    past.did(team.createdBy, team.createdMinutesAgo - 60, (ctx) =>
      createService(ctx, {
        name,
        team: team.slug,
        repositories: [{ url: repositoryOf(team.slug), path: '' }],
      }),
    )
  past.wrote({
    minutesAgo: opened,
    write: async (tx, at) => {
      const { id: serviceId } = await tables(tx)
        .selectFrom('services')
        .select('id')
        .where('workspace_id', '=', past.workspaceId)
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      Object.assign(row, { id: newId(at), key: await nextKey(tx, past.workspaceId, 'inc') })
      await tables(tx)
        .insertInto('incidents')
        .values({
          ...{
            ...row,
            workspace_id: past.workspaceId,
            service_id: serviceId,
            team_id: past.teamIds.get(team.slug)!,
          },
          ...{ title, severity, worst_alert: severity, status: 'resolved' },
          finding: JSON.stringify(findingOf(past, team, incident)),
          ...{ opened_at: at, resolved_at: past.at(opened - incident.lastedMinutes) },
        })
        .execute()
      await tables(tx)
        .insertInto('incident_events')
        .values(
          eventsOf(past, team, incident, opened).map((event, index) => ({
            ...{ ...event, workspace_id: past.workspaceId, incident_id: row.id, seq: index + 1 },
          })),
        )
        .execute()
    },
    audit: () => ({ event: 'incident_opened', ...entry(), details: { service: name, severity, alerts: 1 } }),
  })
  past.wrote({
    minutesAgo: opened - 1,
    audit: () => {
      const { outcome, confidence, suspect } = findingOf(past, team, incident)
      const { commit, pullRequest, run } = suspect!
      const found = {
        change: 'investigated',
        finding: outcome,
        confidence,
        commit,
        pullRequest,
        run,
      } as const
      return { event: 'incident_updated', ...entry(), details: found }
    },
  })
  past.wrote({
    minutesAgo: opened - incident.lastedMinutes,
    audit: () => ({ event: 'incident_resolved', ...entry(), details: { service: name, severity } }),
  })
}

/** As the investigation would have written it. */
function findingOf(past: Past, team: DemoTeam, { suspect, minutesAfterMerge }: DemoIncident): Finding {
  const run = team.runs.find(({ id }) => id === suspect)!
  const story = team.stories.find(({ number }) => `${team.keyPrefix}-${number}` === run.storyKey)!
  const { commit, changes } = run.evidence!
  return {
    outcome: 'suspect_merge',
    confidence: 0.8,
    evidence: [`The alert names ${changes.paths[0]}, which the merge changed.`],
    suspect: {
      ...{ commit, author: 'Signalbox', title: `${run.storyKey}: ${story.title}`, paths: changes.paths },
      mergedAt: past.at(run.attempts.at(-1)!.completedMinutesAgo!),
      ...{ pullRequest: run.pullRequest!.number, repository: repositoryOf(team.slug) },
      run: past.runs.get(suspect)!.key,
    },
    summary: `Likely caused by #${run.pullRequest!.number}, merged ${Math.round(minutesAfterMerge / 60)} h before.`,
  }
}

function eventsOf(past: Past, team: DemoTeam, incident: DemoIncident, opened: number) {
  const { summary, suspect } = findingOf(past, team, incident)
  const event = (minutesAgo: number, type: string, text: string, data: object = {}) => ({
    ...{ at: past.at(minutesAgo), type, text, data: JSON.stringify(data) },
  })
  const number = suspect!.pullRequest! + 500
  const pullRequest = { number, url: `https://git.example.com/halden/${team.slug}/pull/${number}` }
  return [
    event(opened, 'opened', `Opened by one alert: ${incident.title}`),
    event(opened - 1, 'found', summary, { outcome: 'suspect_merge', confidence: 0.8 }),
    ...(incident.isReverted
      ? [
          event(
            opened - 12,
            'revert_opened',
            `Pull request #${number} reverts the suspected merge: ${pullRequest.url}`,
            { pullRequest, commit: suspect!.commit },
          ),
        ]
      : []),
    event(opened - incident.lastedMinutes, 'resolved', 'The alert has recovered.'),
  ]
}
