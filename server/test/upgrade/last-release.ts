import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..', '..', '..')

/** What installations are upgraded from (docs/recipes/make-a-release.md), with the number of its last migration. */
export const lastRelease = {
  ...{ version: '0.1.0', migrations: 51 },
  commit: '1fc515ef52b46fd7e56e522fb6d4d6bcf5466872',
}

/** Its sources with their libraries, installed once. Below node_modules, Node would not run them. */
export async function lastReleaseFolder(): Promise<string> {
  const folder = path.join(tmpdir(), 'signalbox-releases', lastRelease.commit)
  if (existsSync(path.join(folder, 'node_modules'))) return folder
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const archive = path.join(unfinished, 'release.tar')
  await run('git', ['archive', '--output', archive, lastRelease.commit], { cwd: root })
  await run('tar', ['--extract', '--file', archive], { cwd: unfinished })
  await rm(archive)
  // It runs on our Node and beside a database that is there: nothing that its packages would download is needed.
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', install, { cwd: unfinished, maxBuffer: 2 ** 26 })
  // The app is not what is upgraded here, and building it takes a minute.
  await mkdir(path.join(unfinished, 'web', 'dist'), { recursive: true })
  await writeFile(
    path.join(unfinished, 'web', 'dist', 'index.html'),
    '<!doctype html><title>Signalbox</title>\n',
  )
  await rename(unfinished, folder)
  return folder
}
