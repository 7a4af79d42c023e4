import type { ManagedService } from '@signalbox/contract/manage/services.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { findMemberByEmail } from '../../accounts/workspaces/find-member.ts'
import { listMembers } from '../../accounts/workspaces/list-members.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { changeService } from '../../on-call/services/change.ts'
import { createService } from '../../on-call/services/create.ts'
import { deleteService } from '../../on-call/services/delete.ts'
import { listServiceRows } from '../../on-call/services/list-rows.ts'
import { checkedRepositories, checkedSettings, defaultSettings } from '../../on-call/services/settings.ts'
import { listPlaces } from '../../work/places/list.ts'
import type { Kind } from './kind.ts'
import { suggestedName } from './suggested.ts'
import { withoutDefaults } from './without-defaults.ts'

export const servicesKind: Kind<ManagedService> = {
  async list(ctx) {
    const emails = new Map((await listMembers(ctx)).map(({ id, email }) => [id, email]))
    const rows = await listServiceRows(ctx)
    return Promise.all(
      rows.map(async ({ id, name, team, repositories, settings }) => {
        const places = settings.places && (await listPlaces(ctx, team))
        const notify = settings.notify.flatMap((person) => emails.get(person) ?? [])
        const posted = places?.filter((place) => settings.places!.includes(place.id))
        const named = {
          notify: notify.toSorted(),
          places: posted?.map((place) => place.name).toSorted() ?? null,
        }
        return {
          ...{ id, suggested: suggestedName(name) },
          spec: { name, team, repositories, ...settings, ...named },
        }
      }),
    )
  },
  full,
  brief: (spec) => withoutDefaults(spec, full({ name: spec.name, team: spec.team }), ['name', 'team']),
  refers: (_, { team }) => [{ kind: 'teams', name: team }],
  async check(ctx, { name, before, wanted }, { after }) {
    if (before) refuseOtherTeam(before, wanted)
    const isCalled = (one: ManagedService) => one.name.toLowerCase() === wanted.name.toLowerCase()
    const twin = after('services').find((one) => one.name !== name && isCalled(one.spec as ManagedService))
    if (twin)
      throw new DomainError(
        'invalid_request',
        `services.${twin.name} is called ${wanted.name}, too. Choose another \`name\`.`,
      )
    await peopleOf(ctx, wanted)
    // Channels have their names from the chat tool: those that the file adds are not known yet.
    const adds = after('places').some(({ spec }) => (spec as { team: string }).team === wanted.team)
    if (!adds && before) await channelsOf(ctx, wanted)
  },
  isSame: (given, found) => given.name === found.name,
  async create(ctx, _, wanted, { mark }) {
    const { name, team, repositories = [] } = wanted
    const settings = await settingsOf(ctx, wanted)
    return fromJson(await createService(ctx, { name, team, repositories, settings }, mark)).id
  },
  async change(ctx, id, { before, wanted }) {
    refuseOtherTeam(before, wanted)
    const { name, repositories = [] } = wanted
    await changeService(ctx, id, { name, repositories, settings: await settingsOf(ctx, wanted) })
  },
  remove: (ctx, id) => deleteService(ctx, id),
}

function full({ name, team, repositories = [], notify = [], places = null, ...given }: ManagedService) {
  const settings = checkedSettings({ ...defaultSettings, ...given })
  return {
    ...{ name: name.trim(), team, repositories: checkedRepositories(repositories), ...settings },
    notify: [...new Set(notify)].sort(),
    places: places && [...new Set(places)].sort(),
  }
}

function refuseOtherTeam(before: ManagedService, { team }: ManagedService): void {
  if (before.team !== team)
    throw new DomainError(
      'invalid_request',
      `The team of a service cannot be changed: it is ${before.team}. Write that in the file.`,
    )
}

/** People and channels by their ids. */
async function settingsOf(ctx: Context, wanted: ManagedService) {
  const { name: _, team: __, repositories: ___, ...settings } = wanted
  return { ...settings, notify: await peopleOf(ctx, wanted), places: await channelsOf(ctx, wanted) }
}

const peopleOf = (ctx: Context, { notify = [] }: ManagedService): Promise<string[]> =>
  Promise.all(
    notify.map(async (email) => {
      const member = await findMemberByEmail(ctx.db, ctx.workspaceId, email)
      if (member) return member.id
      throw new DomainError(
        'invalid_request',
        `notify names ${email}, who is not a member. Invite the person in the app first, or leave the address out.`,
      )
    }),
  )

async function channelsOf(ctx: Context, { team, places = null }: ManagedService): Promise<string[] | null> {
  const known = places ? await listPlaces(ctx, team) : []
  const channels = places?.map((name) => {
    const place = known.find((one) => one.name === name)
    if (!place)
      throw new DomainError(
        'invalid_request',
        `places names ${name}, where the team does not post. Add the channel to the team first, in the file or in the app.`,
      )
    return place.id
  })
  return channels ?? null
}
