import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { isThisMachine } from '../config.ts'
import type { Access } from './git.ts'
import type { Reach } from './run.ts'

/** What cannot be fetched or pushed, said so that the operator can help. */
export class Unreachable extends Error {}

/** How git is let out to an address: over https, or to a folder that the operator allows. */
export async function reachOf(
  { address, header, isRelayed }: Access,
  { allow, authorities }: { allow: readonly string[]; authorities?: string | null },
): Promise<{ address: string; reach: Reach }> {
  if (/^https?:\/\//i.test(address)) {
    const url = new URL(address)
    const isPlain = url.protocol === 'http:'
    if (isPlain && !isThisMachine(url.hostname))
      throw new Unreachable(
        `The credential would be sent to ${url.origin} unencrypted. Use https; http only works for this machine.`,
      )
    if (url.username || url.password)
      throw new Unreachable(
        'The address of the repository has a user name in it. Remove it; credentials are passed separately.',
      )
    const believed = isRelayed ? (authorities ?? null) : null
    return {
      address: url.href,
      reach: { protocol: isPlain ? 'http' : 'https', header, authorities: believed },
    }
  }
  return { address: await allowedFolder(address, allow), reach: { protocol: 'file', header: null } }
}

async function allowedFolder(address: string, allow: readonly string[]): Promise<string> {
  const folder = address.startsWith('file://') ? fileURLToPath(address) : address
  if (!path.isAbsolute(folder))
    throw new Unreachable(`${address} is neither an https address nor a folder on this machine.`)
  const real = await realpath(folder).catch(() => null)
  if (real === null) throw new Unreachable(`There is no folder ${folder} on this machine.`)
  for (const open of allow) {
    const inside = path.relative(await realpath(open).catch(() => open), real)
    if (inside === '' || !/^\.\.(\/|$)/.test(inside)) return real
  }
  throw new Unreachable(
    `The runner may not use ${folder} on its machine. ${asksFor('--git-folders', folder)}`,
  )
}
