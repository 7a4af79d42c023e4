import type { reads, writes } from '@signalbox/contract/app/single-sign-on.ts'
import { createScimToken } from '../../../domain/accounts/provisioning/create-token.ts'
import { mapGroup } from '../../../domain/accounts/provisioning/map-group.ts'
import { readProvisioning } from '../../../domain/accounts/provisioning/read-settings.ts'
import { revokeScimToken } from '../../../domain/accounts/provisioning/revoke-token.ts'
import {
  isSingleSignOnRequired,
  requireSingleSignOn,
} from '../../../domain/accounts/workspaces/require-single-sign-on.ts'
import type { Handlers } from '../operation.ts'

export const singleSignOnHandlers: Handlers<typeof reads & typeof writes> = {
  'singleSignOn.read': async (ctx, _, { oidc, publicUrl }) => ({
    ...(await readProvisioning(ctx)),
    provider: oidc?.name ?? null,
    required: await isSingleSignOnRequired(ctx),
    throughProvider: ctx.throughProvider,
    scimUrl: `${publicUrl()}/scim/v2`,
  }),
  'singleSignOn.require': async (ctx, { required }, { oidc }) => {
    const by = { hasProvider: oidc !== null, throughProvider: ctx.throughProvider }
    await requireSingleSignOn(ctx, required, by)
    return null
  },
  'singleSignOn.createToken': (ctx, { name }, { oidc }) =>
    createScimToken(ctx, { name, hasProvider: oidc !== null }),
  'singleSignOn.revokeToken': async (ctx, { id }) => {
    await revokeScimToken(ctx, id)
    return null
  },
  'singleSignOn.mapGroup': async (ctx, { id, role }) => {
    await mapGroup(ctx, id, role)
    return null
  },
}
