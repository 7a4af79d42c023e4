/** In SQL, of a run `r`: it is the team's own work. What a person works on themselves takes none of its slots or money. */
export const isTeams = `coalesce((r.memory #>> '{local,handedOff}')::boolean, true)`

/** In SQL, of a run `r`: it takes one of its team's slots now. A survey takes none. */
export const takesSlot = `r.phase = 'working' and r.story_id is not null and ${isTeams}`
