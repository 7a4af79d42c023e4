import { visible } from '@signalbox/contract/visible.ts'
import { lazy, Suspense } from 'react'
import { code } from '../api/code.ts'

const Rendered = lazy(() => code(() => import('./markdown-rendered.tsx')))

/**
 * Text written by people, agents and alerts. It is hostile until proven otherwise: no HTML, no images from elsewhere,
 * links only to the web, and invisible characters are written out. The renderer follows after the first paint; until
 * then the text stands as it is.
 */
export function Markdown({ text: written }: { text: string }) {
  const text = visible(written)
  return (
    <Suspense fallback={<div className="text-sm whitespace-pre-wrap">{text}</div>}>
      <Rendered text={text} />
    </Suspense>
  )
}
