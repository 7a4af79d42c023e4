import { lazy, type ReactNode, Suspense } from 'react'
import { code } from '../api/code.ts'

const [Workspace, Account] = [
  lazy(() => code(() => import('./workspace-menu.tsx'))),
  lazy(() => code(() => import('./account-menu.tsx'))),
]

/** Menus come after the first paint, into room that is kept for them. */
const Place = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<div className="h-10" />}>{children}</Suspense>
)

export const WorkspaceMenu = () => (
  <Place>
    <Workspace />
  </Place>
)

export const AccountMenu = () => (
  <Place>
    <Account />
  </Place>
)
