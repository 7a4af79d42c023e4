import path from 'node:path'
import { ours } from './host-programs.ts'
import type { ImageRoot } from './image-root.ts'

/** Where programs are found inside: what the system brings, and folders that are bound in addition. */
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

/**
 * The same in an image: what it sets itself comes first, so that everything named here or by the caller holds over it.
 * Of a PATH only what is there inside: what comes along, then the image's own, then the runner's Node as a fallback.
 */
export const environmentIn = (
  { environment }: Pick<ImageRoot, 'environment'>,
  home: string,
  { PATH = '', ...named }: Readonly<Record<string, string>>,
): Record<string, string> => {
  const brought = PATH.split(path.delimiter).filter((folder) => folder.startsWith(`${ours}/`))
  const own = environment.PATH?.split(path.delimiter) ?? systemPath
  return {
    ...environment,
    PATH: [...new Set([...brought, ...own, ours])].filter(Boolean).join(':'),
    HOME: home,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...named,
  }
}
