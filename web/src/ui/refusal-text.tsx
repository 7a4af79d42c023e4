import { lazy, Suspense } from 'react'
import { code } from '../api/code.ts'

/** The remedies are a long list, which the first refusal that may need it brings. */
const Remedied = lazy(() => code(() => import('./remedied.tsx')))

/** How the sentences of contract/remedy.ts begin. */
const mayHaveRemedy = (text: string): boolean => text.includes('Ask the ')

/**
 * Why something was refused. What a setting can change comes with its remedy: the line to paste for people who can set it,
 * whom to ask for everyone else, and where the manual explains it.
 */
export function RefusalText({ text }: { text: string }) {
  if (!mayHaveRemedy(text)) return text
  return (
    <Suspense fallback={<span data-interim>{text}</span>}>
      <Remedied text={text} />
    </Suspense>
  )
}
