import path from 'node:path'

/** Where programs are found inside: what the system brings, and folders that are bound besides. */
const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']

/** Nothing of the runner's own environment: its key is there. Everything is named here or by the caller. */
export const environmentOf = (
  home: string,
  named: Readonly<Record<string, string>>,
  readable: readonly string[],
): Record<string, string> => {
  const { PATH = '', ...rest } = named
  const visible = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => readable.some((bound) => folder === bound || folder.startsWith(`${bound}/`)))
  return {
    PATH: [...new Set([...PATH.split(path.delimiter), ...visible, ...systemPath])].filter(Boolean).join(':'),
    HOME: home,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...rest,
  }
}
