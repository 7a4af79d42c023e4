/** The paths among `paths` that one of the globs covers. `**` crosses folders, `*` and `?` do not; dots are letters. */
export const coveredBy = (paths: readonly string[], globs: readonly string[]): string[] =>
  paths.filter((path) => globs.some((glob) => patternOf(glob).test(normal(path))))

/** `./src//a` and `src/x/../a` are `src/a`: a denied path is not entered through a side door. */
function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const patterns = new Map<string, RegExp>()

function patternOf(glob: string): RegExp {
  const known = patterns.get(glob) ?? new RegExp(`^${source(glob)}$`, 'is')
  patterns.set(glob, known)
  return known
}

const source = (glob: string) =>
  glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    // In one pass, so that what replaces a `**` is not taken for a `*` again.
    .replaceAll(/\*\*\/|\*\*|\*|\?/g, (star) =>
      star === '**/' ? '(?:.*/)?' : star === '**' ? '.*' : star === '*' ? '[^/]*' : '[^/]',
    )
