import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pageTitle } from './title.ts'

export interface Visit {
  path: string
  title: string
}

const most = 8
const prefix = 'signalbox.recent.'
const things = /^\/[^/]+\/(stories|runs|decisions|incidents|services|teams|intake)\/(?!new$)[^/]+/

/** What was looked at last in a workspace, in this browser, the newest first. */
export function recentVisits(workspace: string): Visit[] {
  try {
    const kept = JSON.parse(localStorage.getItem(prefix + workspace) ?? '[]')
    return Array.isArray(kept) ? kept.filter((visit) => typeof visit?.path === 'string') : []
  } catch {
    return []
  }
}

/** The next person to use the browser need not see it. */
export function forgetVisits(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}

/** Notes a screen when it is left: by then it has its title. */
export function useRememberVisits(workspace: string): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
        const path = fromLocation?.pathname
        if (!pathChanged || !path?.startsWith(`/${workspace}/`) || !things.test(path)) return
        const title = pageTitle()
        const others = recentVisits(workspace).filter((visit) => visit.path !== path)
        localStorage.setItem(prefix + workspace, JSON.stringify([{ path, title }, ...others].slice(0, most)))
      }),
    [router, workspace],
  )
}
