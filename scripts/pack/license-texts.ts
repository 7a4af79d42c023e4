import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { shippedPackages } from '../shipped-packages.ts'

const root = path.join(import.meta.dirname, '..', '..')

/**
 * The texts of the licences of what is in a bundle, which most of them ask to be passed on. Packages for other platforms
 * are not installed here, and bring theirs when they are.
 */
export async function licenseTexts(): Promise<string> {
  const parts: string[] = []
  for (const { name, version, license, folder } of shippedPackages()) {
    const place = path.join(root, folder)
    if (!existsSync(place)) continue
    const files = (await readdir(place)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
    const texts = await Promise.all(files.map((file) => readFile(path.join(place, file), 'utf8')))
    parts.push(`${name} ${version} (${license})\n\n${texts.join('\n').trim()}\n`)
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}
