import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { ManagedPolicy } from '@signalbox/contract/manage/policies.ts'
import type { ManagedTeam } from '@signalbox/contract/manage/teams.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { DomainError } from '../../errors.ts'
import { createTeam } from '../../work/policies/create-team.ts'
import { changeTeam } from '../../work/teams/change.ts'
import { checkedDescription, checkedName } from '../../work/teams/checked.ts'
import { checkedTeam } from '../../work/teams/create.ts'
import { listTeams } from '../../work/teams/list.ts'
import { refuseTaken } from '../../work/teams/refuse-taken.ts'
import type { Kind } from './kind.ts'

export const teamsKind: Kind<ManagedTeam> = {
  list: async (ctx) =>
    (await listTeams(ctx)).map(fromJson).map(({ id, slug, name, keyPrefix, description }) => ({
      ...{ id, suggested: slug },
      spec: { name, keyPrefix, description },
    })),
  full: ({ name, keyPrefix, description }) => ({
    name: checkedName(name),
    keyPrefix,
    description: checkedDescription(description ?? null),
  }),
  brief: ({ description, ...rest }) => (description ? { ...rest, description } : rest),
  refers: () => [],
  async check(ctx, { name: slug, before, wanted }, { after }) {
    if (before) return refuseOtherPrefix(before, wanted)
    const team = checkedTeam({ ...wanted, slug })
    await refuseTaken(ctx.db, ctx.workspaceId, team)
    const twin = after('teams').find(
      ({ name, spec }) => name !== slug && (spec as ManagedTeam).keyPrefix === team.keyPrefix,
    )
    if (twin)
      throw new DomainError(
        'invalid_request',
        `The stories of teams.${twin.name} begin with ${team.keyPrefix}-, too. Choose another \`keyPrefix\`.`,
      )
  },
  // A team's name in the file is its slug, and no other team has it.
  isSame: () => false,
  async create(ctx, slug, { description = null, ...team }, { wanted, mark }) {
    // It is born with the preset that its policy has in the file, so that it never works under a looser one.
    const policies = dictionary(wanted.policies ?? {})
    const policy = policies[slug] as ManagedPolicy | undefined
    const preset = policy?.preset ?? 'supervised'
    const { id } = await createTeam(ctx, { ...team, description, slug, preset }, mark)
    return id
  },
  async change(ctx, id, { before, wanted }, { names }) {
    refuseOtherPrefix(before, wanted)
    const { name, description = null } = wanted
    await changeTeam(ctx, names.nameOf('teams', id), { name, description })
  },
  remove: (ctx, _, slug) => deleteTeam(ctx, slug),
}

function refuseOtherPrefix(before: ManagedTeam, { keyPrefix }: ManagedTeam): void {
  if (keyPrefix !== before.keyPrefix)
    throw new DomainError(
      'invalid_request',
      `The key prefix of a team cannot be changed: it is ${before.keyPrefix}. Write that in the file.`,
    )
}
