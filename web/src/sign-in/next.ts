/** Where to go once inside. Only a path of this server: anything else would be an open redirect. */
export function pathAfter(next: string | undefined): string {
  if (!next || !isPath(next) || !URL.canParse(next, anyOrigin)) return '/'
  const { origin, pathname, search, hash } = new URL(next, anyOrigin)
  // Looked at again: `/.//elsewhere.example` becomes `//elsewhere.example`, which is the address of another host.
  const isOurs = origin === anyOrigin && isPath(pathname) && !/^\/login\b/.test(pathname)
  return isOurs ? pathname + search + hash : '/'
}

const anyOrigin = 'https://signalbox.invalid'

const isPath = (text: string) => /^\/(?![/\\])/.test(text)
