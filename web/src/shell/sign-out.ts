import { post } from '../api/client.ts'
import { complain } from '../ui/toast.tsx'
import { forgetVisits } from './recent.ts'

/** Ends this session. A whole new page follows, so that nothing of it stays in memory. */
export const signOut = (): Promise<void> =>
  post('/api/auth/sign-out').then(() => {
    forgetVisits()
    location.assign('/login')
  }, complain)
