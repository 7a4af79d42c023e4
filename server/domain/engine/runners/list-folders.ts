import path from 'node:path'
import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import type { Context } from '../../context.ts'
import { selectAddresses } from './store.ts'

/** The folders that repositories of this workspace are in, where they are on a disk: a runner has to be allowed to use them. */
export async function listFolders(ctx: Context): Promise<string[]> {
  const addresses = await selectAddresses(ctx.db, ctx.workspaceId)
  const folders = addresses
    .map(repositoryAddressIn)
    .flatMap((one) => (one?.scheme === 'file' ? [one.folder] : []))
  return [...new Set(folders.map((folder) => path.posix.dirname(folder)))].sort()
}
