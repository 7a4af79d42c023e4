import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Installs a package that only one script needs, once for each version, and returns its folder. */
export function installed(name: string, wanted: string): string {
  const folder = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', name)
  const mark = path.join(folder, `installed-${wanted.split('@').at(-1)}`)
  if (existsSync(mark)) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  const flags = ['--no-audit', '--no-fund', '--save-exact', '--ignore-scripts']
  execFileSync('npm', ['install', ...flags, wanted], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(mark, '')
  return folder
}
