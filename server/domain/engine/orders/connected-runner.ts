import { ephemeralFeature } from '@signalbox/contract/runner/messages.ts'

/**
 * A runner that has not signed off or been removed, and whose token lives: `w`, at the moment `:now`. It may not
 * have been seen lately.
 */
export const connectedRunner = `
  runners w
  join api_tokens k on k.id = w.token_id and k.revoked_at is null and k.expires_at > :now and w.left_at is null
    and w.state <> 'removed'
  join memberships m on m.workspace_id = k.workspace_id and m.person_id = k.person_id
`

/**
 * In SQL, of a runner `r`: people see it. One that was there for a single order and has left is on record and on no list:
 * a fleet has thousands of them.
 */
export const isListed = `(r.left_at is null or not ('${ephemeralFeature}' = any(r.features)))`
