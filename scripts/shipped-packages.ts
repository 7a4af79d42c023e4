import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')

interface Locked {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  link?: boolean
}

export interface ShippedPackage {
  name: string
  version: string
  license: string
  /** Below the root. */
  folder: string
  /** sha512 of its archive, in base64. */
  sha512: string
}

/** What an installation holds beside our own code, by the lock file: everything that is not only for development. */
export function shippedPackages(): ShippedPackage[] {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return Object.entries(packages)
    .filter(([folder, { dev, link }]) => folder.includes('node_modules/') && !dev && !link)
    .map(([folder, { version, license, integrity = '' }]) => ({
      ...{ folder, version, sha512: integrity.replace('sha512-', '') },
      name: folder.split('node_modules/').at(-1)!,
      license: license ?? 'unknown',
    }))
    .toSorted((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1))
}
