/**
 * The paths among `paths` that one of the globs covers. `**` crosses folders, `*` and `?` do not; dots are letters. A
 * folder is covered with what is in it.
 */
export const coveredBy = (paths: readonly string[], globs: readonly string[]): string[] =>
  paths.filter((path) => globs.some((glob) => patternOf(glob).test(normal(path))))

/**
 * `./src//a` and `src/x/../a` are `src/a`: a denied path is not entered through a side door. Nor through one that only
 * some file systems have: they take letters for the same, and drop dots and spaces at the end of a name.
 */
function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.normalize('NFC').replaceAll('\\', '/').split('/')) {
    const name = part === '..' ? part : part.replace(/[. ]+$/, '')
    if (name === '..') parts.pop()
    else if (name !== '') parts.push(name)
  }
  return parts.join('/')
}

const patterns = new Map<string, RegExp>()

function patternOf(glob: string): RegExp {
  const known = patterns.get(glob) ?? new RegExp(`^${source(normal(glob.replace(/[/\\]$/, '/**')))}$`, 'isu')
  patterns.set(glob, known)
  return known
}

const source = (glob: string) =>
  glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    // In one pass, so that what replaces a `**` is not taken for a `*` again.
    .replaceAll(/\/\*\*$|\*\*\/|\*\*|\*|\?/g, (star) => wildcards[star]!)

const wildcards: Record<string, string> = {
  '/**': '(?:/.*)?',
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}
