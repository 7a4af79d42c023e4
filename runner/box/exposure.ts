import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/** Paths of this machine that are never shown in a box. */
export interface Private {
  /** The runner's own folder: its identity, what it signs with, the work of every order. Null: not known here. */
  data: string | null
  /** Where people live. */
  homes: readonly string[]
}

export const privateHere = (data: string | null): Private => ({
  data,
  homes: [homedir(), ...homesOf(passwd())],
})

/** People's, and root's: the folders of other services are what their programs are made of. */
export const homesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [, , uid, , , home] = line.split(':')
    const isPerson = Number(uid) === 0 || (Number(uid) >= 1_000 && Number(uid) < 60_000)
    return home && home !== '/' && isPerson ? [home] : []
  })

function passwd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

/** Folders of the system in which everything and everyone's lies. */
const shared = [
  '/',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/proc',
  '/root',
  '/run',
  '/srv',
  '/sys',
  '/tmp',
  '/var',
]

/** Where nothing but keys is kept. */
const keyFolders = ['.ssh', '.gnupg', '.aws', '.azure', '.kube']

/** Where programs of a user keep what opens accounts, among other things; programs may be installed below them. */
const accountFolders = ['.config', '.docker', '.claude', '.codex', '.gemini', '.signalbox-runner']
const keyFiles = [
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.env', '.claude.json'],
  ...['.credentials.json', 'auth.json', 'oauth_creds.json'],
]
const keyNames = /^id_|\.(pem|key)$/

/** Why a path is not bound into a box, in words that follow its name; null: it may be. */
export function exposureOf(file: string, { data, homes }: Private): string | null {
  const real = resolved(file)
  const holds = (other: string) => isWithin(resolved(other), real)
  if (shared.includes(real)) return 'holds much more than programs'
  if (homes.some(holds)) return 'is or holds a home directory'
  if (data !== null && (holds(data) || isWithin(real, resolved(data)))) return "holds the runner's own data"
  if (isWithin(real, '/etc') || isWithin(real, '/proc') || isWithin(real, '/sys'))
    return 'holds the configuration of the machine'
  const parts = real.split(path.sep)
  const folder = keyFolders.find((name) => parts.includes(name))
  if (folder) return `is in ${folder}, where secrets are kept`
  if (accountFolders.includes(path.basename(real))) return 'holds what opens accounts'
  const secret = secretIn(real)
  return secret ? `holds ${secret}, which looks like a secret` : null
}

/** By its first level: what lies deeper in a package came with it. */
function secretIn(folder: string): string | null {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return null
  const names = readdirSync(folder)
  return (
    names.find((name) => [...keyFolders, ...accountFolders, ...keyFiles].includes(name)) ??
    names.find((name) => keyNames.test(name) && isPrivateKey(path.join(folder, name))) ??
    null
  )
}

function isPrivateKey(file: string): boolean {
  try {
    return lstatSync(file).isFile() && readFileSync(file, 'latin1').slice(0, 4_096).includes('PRIVATE KEY')
  } catch {
    // What the runner cannot read it cannot show.
    return false
  }
}

const isWithin = (file: string, folder: string) =>
  file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

function resolved(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return path.resolve(file)
  }
}
