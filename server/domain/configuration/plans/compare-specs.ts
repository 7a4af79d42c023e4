import { isDeepStrictEqual } from 'node:util'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import { kinds } from '../resources/index.ts'

/** A description without what is shown nowhere. */
export const withoutSecrets = (kind: ResourceKind, spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => field !== kinds[kind].secrets?.field))

/** What is remembered of a description, as it is read back. */
export const asStored = (kind: ResourceKind, spec: object): object =>
  JSON.parse(JSON.stringify(withoutSecrets(kind, spec)))

/** Of the fields that are wanted, those that are otherwise. One that is left out is as one that is null. */
export function differingFields(is: object, wanted: object) {
  const found = is as Record<string, unknown>
  return Object.entries(wanted)
    .filter(([field, value]) => !isDeepStrictEqual(found[field] ?? null, value ?? null))
    .map(([field, value]) => ({ field, before: found[field] ?? null, after: value as unknown }))
}
