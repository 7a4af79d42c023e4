import { randomBytes } from 'node:crypto'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import { newId } from '../../../../infra/ids.ts'
import type { Secrets } from '../../../../infra/secrets.ts'
import type { Context } from '../../../context.ts'
import { DomainError } from '../../../errors.ts'
import { change } from '../../../record/audit/change.ts'
import { requireRole } from '../../../roles.ts'
import { checkedText } from '../../../text.ts'
import { checkedBaseUrl } from '../base-url.ts'
import { hookTokenRow } from '../sealed-rows.ts'
import { insertApp } from './store.ts'

/** As long as GitHub keeps the code that it sends back. */
const minutesToCreate = 60

export interface AppWish {
  name: string
  baseUrl?: string
  /** Left out: an app of the person's own account. */
  organization?: string
  /** The page of this app that the browser comes back to, at the address that the person uses. */
  returnTo: string
}

/** Begins to create a GitHub App: what is sent to GitHub is rendered by `appForm`. */
export async function startApp(
  ctx: Context,
  { secrets }: { secrets: Pick<Secrets, 'encrypt'> },
  input: AppWish,
): Promise<{ id: string }> {
  requireRole(ctx, 'admin', 'create a GitHub App')
  if (ctx.actor.type !== 'human')
    throw new DomainError('invalid_request', 'A GitHub App is created by a person.')
  const personId = ctx.actor.userId
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  const baseUrl = checkedBaseUrl('github', input.baseUrl)
  const organization = input.organization?.trim() || null
  if (organization !== null && !/^[a-z\d](?:[a-z\d_-]{0,98})$/i.test(organization))
    throw new DomainError('invalid_request', 'Enter the organization’s name on GitHub, such as acme.')
  const at = ctx.clock.now()
  const id = newId(at)
  const hookToken = secrets.encrypt(randomBytes(24).toString('base64url'), hookTokenRow(id))
  return change(ctx, async (tx) => {
    await insertApp(tx, ctx.workspaceId, {
      ...{ id, personId, name, baseUrl, organization, hookToken, at, returnTo: input.returnTo },
      expiresAt: new Date(at.getTime() + minutesToCreate * 60_000),
    })
    return {
      value: { id },
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name },
        details: { change: 'app_requested', baseUrl },
      },
    }
  })
}
