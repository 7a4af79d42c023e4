import './style.css'
import './browser/format-preference.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { listenForShortcuts } from './browser/shortcuts.ts'
import { whenIdle } from './browser/when-idle.ts'
import { router } from './router.tsx'

const Toasts = lazy(() => import('./ui/toasts.tsx'))

/** Not before the screen is there, and not only when there is something to say: that may be that the server is away. */
function Corner() {
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => whenIdle(() => setIsIdle(true)), [])
  return <Suspense>{isIdle && <Toasts />}</Suspense>
}

listenForShortcuts()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Corner />
    </QueryClientProvider>
  </StrictMode>,
)
