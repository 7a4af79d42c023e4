import path from 'node:path'
import { makeRepository } from '../server/test/doubles/git-repository.ts'

const files = path.join(import.meta.dirname, 'halden-parcels', 'labels', 'repository')

/** Makes a bare repository that the demo's real runs work on, once, and returns where it is. */
export const makeLabelRepository = (folder: string, name: string): Promise<string> =>
  makeRepository(folder, name, { files, message: 'Labels as plain text' })
