import { Type } from 'typebox'
import { maxSlugLength } from './limits.ts'

/** Identifiers as the outside writes them. */

export const teamSlug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: maxSlugLength,
  description: 'team slug: lowercase words joined by hyphens',
  examples: ['checkout-web'],
})
export const storyKey = Type.String({
  pattern: '^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$',
  description: 'story key: <TEAM_KEY_PREFIX>-<number>',
  examples: ['WEB-12'],
})
export const runKey = Type.String({
  pattern: '^run-[a-z0-9]{4}([a-z0-9]{2})?$',
  description: 'run key',
  examples: ['run-7k2q'],
})
export const decisionKey = Type.String({
  pattern: '^dec-[a-z0-9]{4}([a-z0-9]{2})?$',
  description: 'decision key',
  examples: ['dec-k3x9'],
})
export const requirementSlug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: maxSlugLength,
  description: 'requirement slug: some of its words and a suffix, joined by hyphens',
  examples: ['show-the-delivery-window-k3x9q'],
})
export const incidentKey = Type.String({
  pattern: '^inc-[a-z0-9]{4}([a-z0-9]{2})?$',
  description: 'incident key',
  examples: ['inc-4m8t'],
})
export const exportId = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  description: 'id of an export, from X-Service-Export-Id',
})
