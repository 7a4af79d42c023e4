import './style.css'
import './browser/format-preference.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { onReached } from './api/reach.ts'
import { listenForShortcuts } from './browser/shortcuts.ts'
import { whenIdle } from './browser/when-idle.ts'
import { router } from './router.tsx'
import { later } from './ui/later.ts'

const toasts = later(() => import('./ui/toasts.tsx'))

/**
 * The corner for toasts comes once the screen is there, and not only when there is something to say: that may be that
 * the server is away. If it is away by then, as soon as it is back.
 */
function Corner() {
  const [tries, setTries] = useState(0)
  useEffect(() => whenIdle(() => setTries(1)), [])
  useEffect(() => onReached(() => setTries((before) => before + 1)), [])
  const there = toasts.useWhen(tries)
  return there && <there.Toasts />
}

listenForShortcuts()

const root = createRoot(document.getElementById('root')!)
// In slices: what the page shows already scrolls and answers in between.
startTransition(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Corner />
      </QueryClientProvider>
    </StrictMode>,
  ),
)
