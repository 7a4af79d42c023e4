import './style.css'
import './browser/format-preference.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { listenForShortcuts } from './browser/shortcuts.ts'
import { router } from './router.tsx'
import { Proof } from './sign-in/proof.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'

const Toasts = lazy(() => import('./ui/toasts.tsx'))

listenForShortcuts()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <RouterProvider router={router} />
        <Proof />
        <Suspense>
          <Toasts />
        </Suspense>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
)
