import type { Me } from '@signalbox/contract/app/me.ts'
import { useEffect, useRef } from 'react'
import { queryClient } from '../api/queries.ts'
import { roleNames } from '../members/words.ts'
import { say } from '../ui/toast.tsx'

type Standing = Me['workspaces'][number]

/** Whether the person is in the workspace. Says so when their role changes, and remembers where they were a member. */
export function useStanding(
  slug: string,
  me: Me | undefined,
): { here: Standing | undefined; former: string | null } {
  const last = useRef<Standing>(null)
  const here = me?.workspaces.find((workspace) => workspace.slug === slug)
  useEffect(() => {
    if (!here) return
    const before = last.current
    last.current = here
    if (before?.slug !== here.slug || before.role === here.role) return
    say(`Your role is now ${roleNames[here.role]}.`)
    // What may be seen and done is another matter now.
    void queryClient.invalidateQueries({ queryKey: [slug] })
  }, [here, slug])
  return { here, former: !here && last.current?.slug === slug ? last.current.name : null }
}
