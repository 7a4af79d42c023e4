import { useRead } from '../api/queries.ts'

/** Teams by the name people know them by. One that was deleted has only its slug left. */
export function useTeamName(): (slug: string) => string {
  // What the shell reads for its badge, so that no screen asks for names of its own.
  const teams = useRead('decisions.count', {}).data?.teams
  return (slug) => teams?.find((team) => team.slug === slug)?.name ?? slug
}

export const TeamName = ({ of }: { of: string }) => useTeamName()(of)
