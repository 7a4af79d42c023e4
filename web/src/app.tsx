import './browser/format-preference.ts'
import './browser/theme.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { onReached } from './api/reach.ts'
import { fetchLater } from './browser/fetch-later.ts'
import { listenForShortcuts } from './browser/shortcuts.ts'
import { whenIdle } from './browser/when-idle.ts'
import { router } from './router.tsx'
import { later } from './ui/later.ts'
import { onPlaceWanted } from './ui/toast.tsx'

const toasts = later(() => import('./ui/toasts.tsx'))

/**
 * The corner for toasts comes with the first one. Its code is there before that: what there is to say may be that the
 * server is away.
 */
function Corner() {
  const [tries, setTries] = useState(0)
  useEffect(() => onPlaceWanted(() => setTries((before) => before + 1)), [])
  useEffect(() => onReached(() => setTries((before) => before && before + 1)), [])
  const there = toasts.useWhen(tries)
  return there && <there.Toasts />
}

listenForShortcuts()
whenIdle(fetchLater)
onReached(fetchLater)

const root = createRoot(document.getElementById('root')!)
const begin = () =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Corner />
      </QueryClientProvider>
    </StrictMode>,
  )
// Once it is known what the address leads to and its code is there, so that nothing is drawn twice. In slices: what the
// page shows already scrolls and answers in between. What goes wrong is in the router's state.
void router.load().finally(() => startTransition(begin))
