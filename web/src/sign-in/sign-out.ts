import { post } from '../api/client.ts'
import { forgetVisits } from '../browser/recent.ts'
import { complain } from '../ui/toast.tsx'

/** Ends this session. A whole new page follows, so that nothing of it stays in memory. */
export const signOut = (): Promise<void> =>
  post('/api/auth/sign-out').then(() => {
    forgetVisits()
    location.assign('/login')
  }, complain)
