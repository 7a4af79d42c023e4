/** Where to go once inside. Only a path of this server: anything else could lead astray whoever trusts the link. */
export function pathAfter(next: string | undefined): string {
  if (!next || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, location.origin)) return '/'
  const { origin, pathname, search, hash } = new URL(next, location.origin)
  return origin === location.origin && !/^\/login\b/.test(pathname) ? pathname + search + hash : '/'
}
