import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

const tones = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
}
type Tone = keyof typeof tones

/** How a state looks, and what it is called. */
export interface Look {
  tone: Tone
  icon: LucideIcon
  word: string
}

interface Props {
  tone?: Tone
  icon?: LucideIcon
  word: ReactNode
  title?: string
}

/** A state in a word, with a picture where there is one: never by colour alone. */
export function Badge({ tone = 'neutral', icon: Icon, word, title }: Props) {
  return (
    <span
      title={title}
      className={`inline-flex h-5 max-w-full shrink-0 items-center gap-1 rounded px-1.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {Icon && <Icon size={12} aria-hidden="true" className="shrink-0" />}
      <span className="truncate">{word}</span>
    </span>
  )
}

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border bg-surface px-1 font-sans text-2xs text-muted">
    {children}
  </kbd>
)
