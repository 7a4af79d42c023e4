import { Type } from 'typebox'
import { PolicySettings } from '../app/policies.ts'
import { type Of, oneOf } from '../shapes.ts'
import { presets } from '../team.ts'

/** A team's policy, by the team's slug: a preset, and where the team departs from it. */
export const ManagedPolicy = Type.Object(
  {
    preset: oneOf(presets, 'where every setting that is left out comes from'),
    ...Type.Partial(PolicySettings).properties,
  },
  { $id: 'Policy', additionalProperties: false },
)
export type ManagedPolicy = Of<typeof ManagedPolicy>
