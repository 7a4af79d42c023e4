import { isTeams, takesSlot } from '../../work/teams/takes-slot.ts'

/** In SQL, what a team spends and has at work, as columns; `team` is its id. */
export const spendingOf = (team: string): string => `
    (select count(*)::int from runs r
      where r.workspace_id = :workspaceId and r.team_id = ${team} and ${takesSlot}) as "working!",
    (select coalesce(sum(greatest(0, r.budget_cents * 10000::bigint - (
        select sum(a.cost_micros) from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.id
      ))), 0)::bigint
      from runs r where r.workspace_id = :workspaceId and r.team_id = ${team} and r.phase = 'working' and ${isTeams}
    ) as "reservedMicros!",
    (select coalesce(sum(euro_micros), 0)::bigint from day_spend
      where workspace_id = :workspaceId and team_id = ${team} and day >= :day) as "dayMicros!",
    (select coalesce(sum(euro_micros), 0)::bigint from day_spend
      where workspace_id = :workspaceId and team_id = ${team} and day >= :month) as "monthMicros!"`
