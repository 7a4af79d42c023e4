import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'

/** A way to a pull request. Its address comes from the git host or an agent: only one of the web becomes a link. */
export function PullRequest({
  url,
  className = 'inline-flex min-h-6 items-center gap-1 text-accent hover:underline',
  children,
}: {
  url: string
  className?: string
  children: ReactNode
}) {
  if (!/^https?:\/\//i.test(url)) return <span>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={className}>
      {children}
      <ExternalLink size={12} aria-label="opens in a new tab" />
    </a>
  )
}
