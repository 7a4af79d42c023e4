import { useEffect } from 'react'
import { writePersonal } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { subscribed } from '../browser/push.ts'

/** Pushes belong to a session. A person who has turned them on here and signs in again need not do so again. */
export function useKeepPush(): void {
  const id = useMe()?.id
  useEffect(() => {
    if (!id) return
    void subscribed(id)
      .then((browser) => browser && writePersonal('account.turnOnPush', browser))
      .catch(() => {
        // The account's settings tell whether this browser takes pushes.
      })
  }, [id])
}
