import type { Notification } from '@signalbox/contract/app/notifications.ts'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { write } from '../api/client.ts'
import { readAgain, useWorkspace } from '../api/queries.ts'
import { titleUnread } from '../browser/title.ts'
import { tell } from '../ui/toast.tsx'
import { linkOf } from './link.ts'
import { useUnread } from './unread.ts'

/** More than these at once are told in one sentence. */
const mostToasts = 3

/** Tells what arrives while the app is open: in the title of the tab, and with a toast once someone looks. */
export function useArrivals(showAll: () => void): void {
  const [ws, navigate, unread, isLookedAt] = [useWorkspace(), useNavigate(), useUnread(), useIsLookedAt()]
  const before = useRef<{ ws: string; newest: string; seen: Set<string> }>(null)
  const told = useRef(new Map<string, () => void>())
  const { count = 0, newest } = unread.data ?? {}
  useEffect(() => {
    titleUnread(count)
    return () => titleUnread(0)
  }, [count])
  useEffect(() => {
    if (!newest) return
    // What was there when the app was opened is told by the bell.
    if (before.current?.ws !== ws)
      before.current = { ws, newest: newest[0]?.id ?? '', seen: new Set<string>() }
    // What was read, or answered here or elsewhere, waits no longer.
    for (const [id, close] of told.current)
      if (!newest.some((one) => one.id === id)) {
        told.current.delete(id)
        close()
      }
    if (!isLookedAt) return
    const { newest: last, seen } = before.current
    const fresh = newest.filter(({ id }) => id > last && !seen.has(id))
    if (fresh.length === 0) return
    for (const { id } of fresh) seen.add(id)
    const open = async (one: Notification) => {
      void navigate(linkOf(ws, one))
      await write(ws, 'notifications.read', { id: one.id }, ['notifications']).catch(() => {})
      await readAgain(ws, ['notifications'])
    }
    if (fresh.length > mostToasts) tell(`${fresh.length} new notifications`, '', 'Show', showAll)
    else
      for (const one of fresh.toReversed())
        told.current.set(
          one.id,
          tell(one.title, one.body, 'Open', () => void open(one)),
        )
    void noteShown(ws, fresh)
  }, [newest, ws, isLookedAt, navigate, showAll])
}

/** Says that these were on the screen. Nothing is lost when that cannot be said. */
export const noteShown = (ws: string, shown: readonly Notification[]): Promise<unknown> =>
  write(ws, 'notifications.shown', { ids: shown.map(({ id }) => id) }, []).catch(() => {})

const useIsLookedAt = () =>
  useSyncExternalStore(
    (changed) => {
      document.addEventListener('visibilitychange', changed)
      return () => document.removeEventListener('visibilitychange', changed)
    },
    () => !document.hidden,
  )
