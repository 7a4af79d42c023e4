/** SQL for a run `r`: who began its newest attempt on their own machine; null where the team did. */
export const localHolder = `
  (select row_to_json(local) from (
    select p.name as person, l.agent, iso(l.begun_at) as since, exists (
      select from work_orders o
      where o.workspace_id = l.workspace_id and o.run_id = l.run_id and o.person_id is not null and o.state = 'taken'
    ) as active
    from local_work l
    join people p on p.id = l.person_id
    where l.workspace_id = r.workspace_id and l.run_id = r.id and l.attempt = r.attempts
  ) as local)
`
