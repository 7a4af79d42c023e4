import { type Finding, type FindingKind, findingKinds, findingWords } from './finding.ts'
import { shownPath } from './lookalike.ts'

/** More findings of one kind than this are not listed one by one. */
const mostOfAKind = 7

/**
 * Findings as people can read them: each once, in the order of the kinds and of the paths, and where there are many of
 * a kind, one for each folder, as far up as it takes. Whatever a change does, there are no more than a few of each
 * kind.
 */
export function summarizeFindings(findings: readonly Finding[]): Finding[] {
  const once = new Map(findings.map((finding) => [`${finding.kind} ${finding.says}`, finding]))
  const byKind = Map.groupBy(once.values(), ({ kind }) => kind)
  return findingKinds.flatMap((kind) => {
    const all = (byKind.get(kind) ?? []).toSorted(
      (a, b) => compare(a.path, b.path) || compare(a.says, b.says),
    )
    return all.length > mostOfAKind ? byFolder(kind, all) : all
  })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The deepest level by which findings are grouped. What lies deeper counts with its folder there. */
const deepest = 12

function byFolder(kind: FindingKind, all: Finding[]): Finding[] {
  const folders = all.map(({ path }) => path.split('/').slice(0, -1).slice(0, deepest))
  const groupsAt = (depth: number) =>
    Map.groupBy(all, (_, at) =>
      folders[at]!.slice(0, depth)
        .map((name) => `${name}/`)
        .join(''),
    )
  let groups = groupsAt(0)
  for (let depth = 1; depth <= deepest; depth++) {
    const finer = groupsAt(depth)
    if (finer.size > mostOfAKind) break
    groups = finer
  }
  return [...groups].flatMap(([folder, found]) =>
    found.length === 1 ? found : [together(kind, folder, found)],
  )
}

function together(kind: FindingKind, folder: string, found: Finding[]): Finding {
  const where = folder === '' ? 'The change' : shownPath(folder)
  const files = new Set(found.map(({ path }) => path)).size
  const about = findingWords[kind].label.toLowerCase().replace(/\b(ci|mcp)\b/g, (name) => name.toUpperCase())
  return {
    kind,
    path: folder,
    says: `${where} has ${found.length} findings in ${files} ${files === 1 ? 'file' : 'files'} about ${about}. The first: ${found[0]!.says}`,
  }
}
