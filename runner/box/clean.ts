import type { Clean } from '../disk/trash.ts'
import type { Box } from './box.ts'

const longestMs = 30 * 60_000

/** Gives the rights back that were taken from folders and removes them, inside of a box: nothing else is there. */
export const cleanIn =
  (box: Box): Clean =>
  async (folder, names) => {
    const lines = 'nice -n 10 chmod -R u+rwX -- "$@" 2>/dev/null; nice -n 10 rm -rf -- "$@"'
    const boxed = box.start(['sh', '-c', lines, 'sh', ...names.map((name) => `./${name}`)], {
      worktree: folder,
      home: folder,
      out: null,
      readable: [],
      denied: [],
      environment: {},
      gateway: null,
      network: 'none',
    })
    const timer = setTimeout(() => void boxed.end(0), longestMs)
    boxed.stdin.end()
    boxed.stdout.resume()
    boxed.stderr.resume()
    await boxed.ended
    clearTimeout(timer)
  }
