import { Link } from '@tanstack/react-router'
import type { Failure } from '../api/client.ts'
import { Wrong } from '../ui/refused.tsx'
import { isTooOld } from './change.ts'

/** What was wrong; where only a new session helps, the way there and back. */
export const Refused = ({ error }: { error: Failure | null }) => (
  <Wrong>
    {error && (
      <>
        {error.message}{' '}
        {isTooOld(error) && (
          <Link to="/login" search={{ next: '/account?tab=security' }} className="underline">
            Sign in again
          </Link>
        )}
      </>
    )}
  </Wrong>
)
