import type { DiffFile } from '@signalbox/contract/app/runs.ts'
import { Copy, FilePen, FilePlus, FileX, type LucideIcon, MoveRight } from 'lucide-react'

/** What a run is measured by: no run may change it. */
const acceptanceFolder = '.kanman/acceptance/'
export const isLocked = (path: string) => path.startsWith(acceptanceFolder)

export const statusWords: Record<DiffFile['status'], { word: string; icon: LucideIcon }> = {
  added: { word: 'New', icon: FilePlus },
  deleted: { word: 'Deleted', icon: FileX },
  modified: { word: 'Changed', icon: FilePen },
  renamed: { word: 'Renamed', icon: MoveRight },
  copied: { word: 'Copied', icon: Copy },
}

const modes: Record<string, string> = {
  '100644': 'a plain file',
  '100755': 'executable',
  '120000': 'a link',
  '160000': 'a submodule',
}

export const modeWords = ({ after }: NonNullable<DiffFile['mode']>) =>
  `Now ${modes[after] ?? `mode ${after}`}`
