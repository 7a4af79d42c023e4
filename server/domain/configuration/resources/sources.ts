import type { ManagedSource } from '@signalbox/contract/manage/sources.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { DomainError } from '../../errors.ts'
import { addSource, checkGivenSecret } from '../../on-call/sources/add.ts'
import { sourceAddress } from '../../on-call/sources/address.ts'
import { changeSource } from '../../on-call/sources/change.ts'
import { deleteSource } from '../../on-call/sources/delete.ts'
import { listSourceRows } from '../../on-call/sources/list-rows.ts'
import { checkedSourceSettings } from '../../on-call/sources/settings.ts'
import { givenSecret } from './given-secret.ts'
import type { Kind } from './kind.ts'
import { suggestedName } from './suggested.ts'

export const sourcesKind: Kind<ManagedSource> = {
  list: async (ctx, names, { signalUrl }) =>
    (await listSourceRows(ctx, {})).map(({ id, kind, name, services, settings, token }) => ({
      ...{ id, suggested: suggestedName(name), address: sourceAddress({ kind, token }, signalUrl()) },
      spec: { kind, name, services: services.map((one) => names.nameOf('services', one)).sort(), settings },
    })),
  full: ({ kind, name, services = [], settings = {}, secret }) => ({
    ...{ kind, name: name.trim(), services: [...new Set(services)].sort() },
    settings: checkedSourceSettings(kind, settings),
    ...(secret ? { secret } : {}),
  }),
  brief: ({ services = [], settings = {}, ...spec }) => ({
    ...spec,
    ...(services.length > 0 ? { services } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  }),
  refers: (_, { services = [] }) => services.map((name) => ({ kind: 'services', name })),
  check(_, { before, wanted: { kind, secret } }) {
    if (before) refuseOtherKind(before, kind)
    else if (secret) checkGivenSecret(kind, 'value' in secret ? secret.value : undefined)
  },
  isSame: (given, found) => given.kind === found.kind && given.name === found.name,
  secrets: {
    field: 'secret',
    of: ({ secret }) => (secret ? [secret] : []),
    // One that is in use is rotated in the app, where the old one stays valid for a day.
    differ: async () => false,
  },
  async create(ctx, _, { kind, name, services = [], settings = {}, secret }, { names, tools, mark }) {
    const asked = {
      ...{ kind, name, settings, services: services.map((one) => names.idOf('services', one)) },
      ...(secret ? { secret: givenSecret(secret) } : {}),
    }
    const { source } = await addSource(ctx, tools.secrets, asked, mark)
    return fromJson(source).id
  },
  async change(ctx, id, { before, wanted }, { names, tools }) {
    const { kind, name, services = [], settings = {} } = wanted
    refuseOtherKind(before, kind)
    const ids = services.map((one) => names.idOf('services', one))
    await changeSource(ctx, tools.secrets, id, { name, settings, services: ids })
  },
  remove: (ctx, id) => deleteSource(ctx, id),
}

function refuseOtherKind(before: ManagedSource, kind: ManagedSource['kind']): void {
  if (before.kind !== kind)
    throw new DomainError(
      'invalid_request',
      `The kind of a source cannot be changed: it is ${before.kind}. Describe another source under another name.`,
    )
}
