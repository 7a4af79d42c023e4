import type { Entry } from './objects.ts'

const mostSteps = 40

/**
 * Why a link leads out of the tree it is in, followed as a file system would follow it, through other links too; null:
 * it stays inside. `targets` has the target of every link by its path.
 */
export function leadsOut(link: string, targets: ReadonlyMap<string, string>): string | null {
  const standing = link.split('/').slice(0, -1)
  let ahead = partsOf(targets.get(link) ?? '')
  for (let steps = 0; ahead.length > 0; ) {
    const [part, ...rest] = ahead
    ahead = rest
    if (part === '/') return 'leads to an absolute path'
    if (/\\|^[a-z]:/i.test(part!)) return 'leads to a path of Windows'
    if (part === '..') {
      if (standing.length === 0) return 'leads out of the repository'
      standing.pop()
      continue
    }
    standing.push(part!)
    if (part!.toLowerCase() === '.git') return 'leads into the git folder'
    const target = targets.get(standing.join('/'))
    if (target === undefined) continue
    if (++steps > mostSteps) return 'leads in a circle'
    standing.pop()
    ahead = [...partsOf(target), ...ahead]
  }
  return null
}

const partsOf = (target: string): string[] => [
  ...(target.startsWith('/') ? ['/'] : []),
  ...target.split('/').filter((part) => part !== '' && part !== '.'),
]

export const isLink = ({ mode }: Pick<Entry, 'mode'>) => mode === '120000'
