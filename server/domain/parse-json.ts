/** Deeper than any sender nests, and shallow enough for everything that recurses. */
export const mostJsonLevels = 100

export class NestsTooDeep extends Error {
  override message = `nests deeper than ${mostJsonLevels} levels`
}

/** JSON from outside. The parser has no limit of its own, but most of what is done with its value afterwards recurses. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!mayNestTooDeep(text)) return value
  let level = [value].filter(isNested)
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels === mostJsonLevels) throw new NestsTooDeep()
    level = level.flatMap((part) => Object.values(part).filter(isNested))
  }
  return value
}

/** What opens no more than that cannot nest deeper, and needs no walk through all of it. */
function mayNestTooDeep(text: string): boolean {
  let opened = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code !== 0x5b && code !== 0x7b) continue
    opened += 1
    if (opened > mostJsonLevels) return true
  }
  return false
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
