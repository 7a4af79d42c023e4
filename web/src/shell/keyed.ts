/** Where a key that someone typed leads, or null when it is none. */
export function pathOfKey(workspace: string, typed: string): { key: string; path: string } | null {
  const text = typed.trim()
  const short = /^(run|dec|inc)-[a-z0-9]{4}(?:[a-z0-9]{2})?$/i.exec(text)
  if (short) {
    const key = text.toLowerCase()
    const folder = { run: 'runs', dec: 'decisions', inc: 'incidents' }[short[1]!.toLowerCase()]
    return { key, path: `/${workspace}/${folder}/${key}` }
  }
  if (!/^[a-z][a-z0-9]{0,9}-[1-9]\d{0,8}$/i.test(text)) return null
  return { key: text.toUpperCase(), path: `/${workspace}/stories/${text.toUpperCase()}` }
}
