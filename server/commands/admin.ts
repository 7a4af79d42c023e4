import { randomBytes } from 'node:crypto'
import type { Asked } from '@signalbox/contract/command-line.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Permission, TokenLifetime } from '@signalbox/contract/token.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { readConfig } from '../app/config.ts'
import { identityFrom } from '../app/identity.ts'
import { operator } from '../app/operator.ts'
import { openStorage } from '../app/storage.ts'
import { findPerson } from '../domain/accounts/people/find-person.ts'
import { forgetFactors, recordResetLink } from '../domain/accounts/people/operator-help.ts'
import { createToken } from '../domain/accounts/tokens/create.ts'
import { findTokenByPrefix } from '../domain/accounts/tokens/find-by-prefix.ts'
import { revokeToken } from '../domain/accounts/tokens/revoke.ts'
import { addPerson } from '../domain/accounts/workspaces/add-person.ts'
import { allowNetworks } from '../domain/accounts/workspaces/allow-networks.ts'
import { changeRole } from '../domain/accounts/workspaces/change-role.ts'
import { createWorkspace } from '../domain/accounts/workspaces/create.ts'
import { deleteWorkspace } from '../domain/accounts/workspaces/delete.ts'
import { findMemberByEmail } from '../domain/accounts/workspaces/find-member.ts'
import { findWorkspace } from '../domain/accounts/workspaces/find-workspace.ts'
import { removeMember } from '../domain/accounts/workspaces/remove-member.ts'
import { requireSingleSignOn } from '../domain/accounts/workspaces/require-single-sign-on.ts'
import type { Context } from '../domain/context.ts'
import { reportMain } from '../domain/engine/lifecycle/report-main.ts'
import { DomainError } from '../domain/errors.ts'
import type { Identity } from '../domain/ports/identity.ts'
import { listStuckRuns } from '../domain/work/runs/list-stuck.ts'
import { systemClock } from '../infra/clock.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { createLog } from '../infra/log.ts'
import type { AdminCommand, adminLine } from './command-lines.ts'
import { printJson } from './print.ts'

type Options = Asked<typeof adminLine>['values']
type Operator = Omit<Context, 'workspaceId'>
type Command = (
  operator: Operator,
  options: Options,
  /** Made for the few who need it. */
  identity: () => Identity,
) => Promise<Record<string, unknown>>

/**
 * What an operator does on the machine, also while the server runs. Audited like every change, with the operator's
 * account named as system.
 */
const commands: Record<AdminCommand, Command> = {
  'workspace create': async (operator, options) =>
    createWorkspace(operator, { slug: need(options, 'slug'), name: options.name ?? need(options, 'slug') }),

  'workspace delete': async (operator, options) => {
    const workspace = await findWorkspace(operator.db, need(options, 'workspace'))
    await deleteWorkspace({ ...operator, workspaceId: workspace.id }, workspace)
    return { deleted: workspace.slug }
  },

  'workspace clear-networks': async (operator, options) => {
    const workspace = await findWorkspace(operator.db, need(options, 'workspace'))
    await allowNetworks({ ...operator, workspaceId: workspace.id }, { networks: [], runnerNetworks: [] })
    return { cleared: workspace.slug }
  },

  'workspace clear-single-sign-on': async (operator, options) => {
    const workspace = await findWorkspace(operator.db, need(options, 'workspace'))
    const by = { hasProvider: false, throughProvider: false }
    await requireSingleSignOn({ ...operator, workspaceId: workspace.id }, false, by)
    return { cleared: workspace.slug }
  },

  'person create': async (operator, options) => {
    const ctx = await inWorkspace(operator, options)
    const password = options.password ?? randomBytes(12).toString('base64url')
    const email = need(options, 'email')
    const person = await addPerson(ctx, {
      email,
      name: options.name ?? email,
      role: (options.role ?? 'member') as Role,
      password,
    })
    return { ...person, ...(options.password ? {} : { password }) }
  },

  'person role': async (operator, options) => {
    const { ctx, person } = await memberOf(operator, options)
    await changeRole(ctx, person.id, need(options, 'role') as Role)
    return { email: person.email, role: options.role }
  },

  'person remove': async (operator, options) => {
    const { ctx, person } = await memberOf(operator, options)
    await removeMember(ctx, person.id)
    return { removed: person.email }
  },

  'person reset-link': async (operator, options, identity) => {
    const person = await personOf(operator, options)
    await recordResetLink(operator, person.id)
    const token = await identity().resetToken(person.id)
    return { email: person.email, link: `${baseUrl()}/login/reset?token=${token}` }
  },

  'person forget-factors': async (operator, options) => {
    const person = await personOf(operator, options)
    await forgetFactors(operator, person.id)
    return { email: person.email, forgotten: 'passkeys and the authenticator app' }
  },

  'token create': async (operator, options) => {
    const { ctx, person } = await memberOf(operator, options)
    return createToken(ctx, {
      personId: person.id,
      name: options.name ?? 'made by the operator',
      permissions: need(options, 'permissions')
        .split(',')
        .map((word) => word.trim()) as Permission[],
      expires: need(options, 'expires') as TokenLifetime,
      manages: options.manage ?? false,
    })
  },

  'token revoke': async (operator, options) => {
    const ctx = await inWorkspace(operator, options)
    const id = await findTokenByPrefix(ctx, need(options, 'token'))
    await revokeToken(ctx, id)
    return { revoked: id }
  },

  'main green': async (operator, options) => {
    await reportMain(await inWorkspace(operator, options), need(options, 'team'), { state: 'green' })
    return { team: options.team, main: 'green' }
  },

  'main red': async (operator, options) => {
    const [commit, findings] = [need(options, 'commit'), need(options, 'findings')]
    await reportMain(await inWorkspace(operator, options), need(options, 'team'), {
      state: 'red',
      commit,
      findings,
    })
    return { team: options.team, main: 'red' }
  },

  'run stuck': async (operator, options) => {
    const stuck = await listStuckRuns(await inWorkspace(operator, options))
    return Object.fromEntries(
      stuck.map(({ key, ...run }) => [
        key,
        `${run.story}, ${run.phase} since ${run.since.toISOString()}. ${run.reason}`,
      ]),
    )
  },
}

export async function run({ values, positionals }: Asked<typeof adminLine>): Promise<void> {
  const command = commands[positionals.join(' ') as AdminCommand]
  const { json, ...options } = values
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: 'warn' }), 'command')
  try {
    const by: Operator = {
      db: storage.db,
      clock: systemClock,
      actor: operator(),
      channel: 'operator',
      queue: silentQueue,
    }
    const identity = () =>
      identityFrom(config, storage, { publicUrl: baseUrl, log: createLog({ level: 'warn' }) })
    const result = await command(by, options, identity)
    if (json) printJson(result)
    else process.stdout.write(visible(lines(result)))
  } finally {
    await storage.close()
  }
}

/** A server without PUBLIC_URL is reached on this machine. */
function baseUrl(): string {
  const { publicUrl, tls, port } = readConfig(process.env)
  return publicUrl ?? `${tls ? 'https' : 'http'}://localhost:${port}`
}

async function personOf(operator: Operator, options: Options) {
  const email = need(options, 'email')
  const person = await findPerson(operator.db, email)
  if (!person) throw new DomainError('not_found', `There is no person ${email}.`)
  return person
}

const lines = (result: Record<string, unknown>) =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : value}\n`)
    .join('')

/** The arguments have been read: what a command needs is there. */
const need = (
  options: Options,
  name: Exclude<keyof Options, 'manage' | 'json' | 'help' | 'version'>,
): string => options[name]!

async function inWorkspace(operator: Operator, options: Options): Promise<Context> {
  const workspace = await findWorkspace(operator.db, need(options, 'workspace'))
  return { ...operator, workspaceId: workspace.id }
}

async function memberOf(operator: Operator, options: Options) {
  const ctx = await inWorkspace(operator, options)
  const email = need(options, 'email')
  const person = await findMemberByEmail(operator.db, ctx.workspaceId, email)
  if (!person) throw new DomainError('not_found', `${email} is not a member of ${options.workspace}.`)
  return { ctx, person }
}
