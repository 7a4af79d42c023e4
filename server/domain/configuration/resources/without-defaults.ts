import { isDeepStrictEqual } from 'node:util'

/** Leaves out every field that goes without saying. */
export function withoutDefaults<Spec extends object>(
  spec: Spec,
  defaults: Spec,
  always: readonly (keyof Spec)[],
): Spec {
  const said = Object.entries(spec).filter(
    ([field, value]) =>
      always.includes(field as keyof Spec) || !isDeepStrictEqual(value, defaults[field as keyof Spec]),
  )
  return Object.fromEntries(said) as Spec
}
